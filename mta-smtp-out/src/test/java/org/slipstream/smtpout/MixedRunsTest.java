package org.slipstream.smtpout;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.DeliveryResult.Unanswered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.smtpout.EventLog.Badly;
import org.slipstream.smtpout.EventLog.Lost;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/// Long runs of good and bad messages in any order on one connection: every recipient gets its own
/// mail and no mail of another. The sink keeps refused transactions open, as servers may, so a
/// missing RSET would send mail under a wrong sender.
@Tag("FI-34")
class MixedRunsTest {
    private static final int MESSAGES = 300;

    private record Taken(String sender, List<String> recipients, String content) {
        static Taken of(ReceivedMessage message) {
            return new Taken(message.sender(), message.recipients(), message.text());
        }
    }

    private static SinkScript choosy(String extensions) {
        return Post.accepting(extensions.isEmpty() ? new String[0] : extensions.split(","))
                .onSender("bad*", SinkAction.reply("550 5.7.1 Sender address rejected"))
                .onRecipient("no*", SinkAction.reply("550 5.1.1 User unknown"))
                .onRecipient("full*", SinkAction.reply("452 4.2.2 Mailbox full"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "PIPELINING", "PIPELINING,CHUNKING", "PIPELINING,CHUNKING,SIZE 20000,8BITMIME"})
    void eachGetsHisOwn(String extensions) throws IOException {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        EventLog events = new EventLog();
        Map<Long, Transfer> transfers = new TreeMap<>();
        try (SmtpSink sink = SmtpSink.start(choosy(extensions));
                Carriers carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(sink), false);
            for (long delivery = 1; delivery <= MESSAGES; delivery++) {
                Transfer transfer = any(delivery, random);
                transfers.put(delivery, transfer);
                Post.deliver(carriers, 1, transfer);
            }
            events.results(MESSAGES);
            assertThat(events.all()).as("seed %d", seed)
                    .noneMatch(n -> n instanceof Unanswered || n instanceof Lost || n instanceof Badly);
            List<Taken> due = new ArrayList<>();
            for (Transfer transfer : transfers.values()) {
                expected(transfer, extensions.contains("SIZE")).ifPresent(due::add);
            }
            assertThat(sink.messages()).as("seed %d", seed).extracting(Taken::of).containsExactlyElementsOf(due);
            for (Answered done : events.all().stream().filter(Answered.class::isInstance).map(Answered.class::cast)
                    .toList()) {
                Transfer transfer = transfers.get(done.delivery());
                assertThat(done.usable()).isTrue();
                for (RecipientOutcome outcome : done.outcomes()) {
                    String to = transfer.delivery().recipients().get(outcome.number() - 1).address().toString();
                    Class<? extends Outcome> kind = tooLarge(transfer, extensions) || bad(transfer)
                            || to.startsWith("no")
                                    ? Outcome.Failed.class
                                    : to.startsWith("full") ? Outcome.Deferred.class : Outcome.Delivered.class;
                    assertThat(outcome.outcome()).as("seed %d, %s", seed, to).isInstanceOf(kind);
                }
            }
            assertThat(sink.connections()).isEqualTo(1);
        }
    }

    private static Transfer any(long delivery, SplittableRandom random) {
        String[] recipients = new String[1 + random.nextInt(3)];
        for (int i = 0; i < recipients.length; i++) {
            recipients[i] = List.of("you", "you", "you", "nobody", "fullbox").get(random.nextInt(5)) + i + "-"
                    + delivery
                    + "@there.example";
        }
        String sender = (random.nextInt(6) == 0 ? "bad" : "me") + delivery + "@here.example";
        int lines = random.nextInt(20) == 0 ? 5000 : random.nextInt(5);
        String text = "number " + delivery + "\r\n" + (".line " + random.nextInt() + "\r\n").repeat(lines);
        return Post.transfer(delivery, Optional.of(Address.of(sender)), Post.content(text), recipients);
    }

    private static Optional<Taken> expected(Transfer transfer, boolean sized) {
        List<String> takers = transfer.delivery().recipients().stream().map(r -> r.address().toString())
                .filter(to -> to.startsWith("you")).toList();
        if (bad(transfer) || takers.isEmpty() || sized && tooLarge(transfer, "SIZE")) {
            return Optional.empty();
        }
        try (var input = transfer.content().open()) {
            return Optional.of(new Taken(transfer.envelope().sender().orElseThrow().toString(), takers,
                    new String(input.readAllBytes(), StandardCharsets.ISO_8859_1)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean tooLarge(Transfer transfer, String extensions) {
        return extensions.contains("SIZE") && transfer.content().sizeBytes() > 20_000;
    }

    private static boolean bad(Transfer transfer) {
        return transfer.envelope().sender().orElseThrow().toString().startsWith("bad");
    }
}
