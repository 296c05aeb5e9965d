package org.slipstream.smtpout;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.Outcome;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.smtpout.ReseatingHouse.Badly;
import org.slipstream.smtpout.ReseatingHouse.Done;
import org.slipstream.smtpout.ReseatingHouse.Lost;
import org.slipstream.smtpout.ReseatingHouse.Returned;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/// Long runs of good and bad messages in any order on one connection: everybody gets what is due to him, and nobody what is due to
/// his neighbour. The sink keeps refused transactions open, as servers may, so a missing RSET would send mail under a wrong sender.
@Tag("FI-34")
class MixedRunsTest {
    private static final int MESSAGES = 300;

    @ParameterizedTest
    @ValueSource(strings = {"", "PIPELINING", "PIPELINING,CHUNKING", "PIPELINING,CHUNKING,SIZE 20000,8BITMIME"})
    void eachGetsHisOwn(String extensions) throws IOException {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        ReseatingHouse house = new ReseatingHouse();
        Map<Long, Parcel> parcels = new TreeMap<>();
        try (Sink sink = new Sink(Sink.Faults.NONE, extensions.isEmpty() ? new String[0] : extensions.split(","));
                Carriers carriers = Post.carriers(Post.patient(), house)) {
            carriers.open(1, sink.route());
            for (long delivery = 1; delivery <= MESSAGES; delivery++) {
                Parcel parcel = any(delivery, random);
                parcels.put(delivery, parcel);
                carriers.deliver(1, parcel);
            }
            house.awaitAnswers(MESSAGES);
            assertThat(house.heard()).as("seed %d", seed)
                    .noneMatch(n -> n instanceof Returned || n instanceof Lost || n instanceof Badly);
            List<Sink.Taken> due = new ArrayList<>();
            for (Parcel parcel : parcels.values()) {
                expected(parcel, extensions.contains("SIZE")).ifPresent(due::add);
            }
            assertThat(sink.taken()).as("seed %d", seed).containsExactlyElementsOf(due);
            for (Done done : house.heard().stream().filter(Done.class::isInstance).map(Done.class::cast).toList()) {
                Parcel parcel = parcels.get(done.delivery());
                assertThat(done.usable()).isTrue();
                for (RecipientOutcome outcome : done.outcomes()) {
                    String to = parcel.recipients().get(outcome.number() - 1).address().toString();
                    Class<? extends Outcome> kind = tooLarge(parcel, extensions) || bad(parcel) || to.startsWith("no")
                            ? Outcome.Failed.class
                            : to.startsWith("full") ? Outcome.Deferred.class : Outcome.Delivered.class;
                    assertThat(outcome.outcome()).as("seed %d, %s", seed, to).isInstanceOf(kind);
                }
            }
            assertThat(sink.connections()).isEqualTo(1);
        }
    }

    private static Parcel any(long delivery, SplittableRandom random) {
        String[] recipients = new String[1 + random.nextInt(3)];
        for (int i = 0; i < recipients.length; i++) {
            recipients[i] = List.of("you", "you", "you", "nobody", "fullbox").get(random.nextInt(5)) + i + "-"
                    + delivery
                    + "@there.example";
        }
        String sender = (random.nextInt(6) == 0 ? "bad" : "me") + delivery + "@here.example";
        int lines = random.nextInt(20) == 0 ? 5000 : random.nextInt(5);
        String text = "number " + delivery + "\r\n" + (".line " + random.nextInt() + "\r\n").repeat(lines);
        return Post.parcel(delivery, Optional.of(Address.of(sender)), Post.letter(text), recipients);
    }

    private static Optional<Sink.Taken> expected(Parcel parcel, boolean sized) {
        List<String> takers = parcel.recipients().stream().map(r -> r.address().toString())
                .filter(to -> to.startsWith("you")).toList();
        if (bad(parcel) || takers.isEmpty() || sized && tooLarge(parcel, "SIZE")) {
            return Optional.empty();
        }
        try (var letter = parcel.letter().open()) {
            return Optional.of(new Sink.Taken(parcel.envelope().sender().orElseThrow().toString(), takers,
                    new String(letter.readAllBytes(), StandardCharsets.ISO_8859_1)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean tooLarge(Parcel parcel, String extensions) {
        return extensions.contains("SIZE") && parcel.letter().sizeBytes() > 20_000;
    }

    private static boolean bad(Parcel parcel) {
        return parcel.envelope().sender().orElseThrow().toString().startsWith("bad");
    }
}
