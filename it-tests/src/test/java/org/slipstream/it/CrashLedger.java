package org.slipstream.it;

import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.MixedMail;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.server.Maildirs;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// The promises to clients and the arrivals, each with the life of the server in which it happened.
///
/// - Each recipient of an acknowledged message is served or reported to the sender.
/// - A message whose client left before the final dot never arrives.
/// - After a reply of the sink no second copy is sent to the same recipient in the same life of the
///   server. In a later life one is sent only when the reply came less than [#WINDOW] before the
///   kill. The window stands for the way from the reply to the record in the log: some 0.1 ms, and
///   0.1 s on a busy machine. Tests run on machines that are busier.
final class CrashLedger {
    static final Duration WINDOW = Duration.ofSeconds(1);
    /// Outcomes of one life that are older than the window when it ends.
    private static final int OLD_OUTCOMES = 50;
    private static final Pattern REPORTED = Pattern.compile("(?m)^Final-Recipient: rfc822; ?(\\S+?)\r?$");

    private final Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
    private final Map<String, List<Copy>> copies = new HashMap<>();
    private final List<Long> kills = new ArrayList<>();
    private int life;

    /// One message at the sink for one recipient.
    private record Copy(int life, long atNanos, boolean answered) {}

    void acknowledged(int number) {
        acknowledged.add(number);
    }

    int acknowledged() {
        return acknowledged.size();
    }

    /// Just before the signal.
    void killed() {
        kills.add(System.nanoTime());
    }

    static boolean isOldEnough(List<ReceivedMessage> deliveries) {
        long now = System.nanoTime();
        return deliveries.size() >= OLD_OUTCOMES
                && now - deliveries.get(OLD_OUTCOMES - 1).atNanos() > 2 * WINDOW.toNanos();
    }

    /// All that arrived in the life that has ended.
    void ofOneLife(List<ReceivedMessage> deliveries) {
        for (var delivery : deliveries) {
            for (var recipient : delivery.recipients()) {
                copies.computeIfAbsent(recipient, _ -> new ArrayList<>())
                        .add(new Copy(life, delivery.atNanos(), delivery.answered()));
            }
            MailAssert.unchangedOnTheWire(MixedMail.of(delivery.id()).content(), delivery.content());
        }
        life++;
    }

    void check(Maildirs mail) {
        assertThat(acknowledged).hasSizeGreaterThan(100);
        var wanted = recipients();
        var missing = new TreeSet<>(wanted.getOrDefault(MixedMail.Result.DELIVERED, Set.of()));
        missing.removeAll(copies.keySet());
        assertThat(missing).as("acknowledged, and never sent to the far side, which takes it").isEmpty();
        assertThat(reported(mail)).as("every recipient that the far side refused")
                .containsAll(wanted.getOrDefault(MixedMail.Result.REPORTED, Set.of()));
        assertThat(copies.keySet()).as("refused, or never sent to the end")
                .noneMatch(recipient -> MixedMail.Result.of(recipient) != MixedMail.Result.DELIVERED);
        inTheMailbox(mail, wanted.getOrDefault(MixedMail.Result.FILED, Set.of()).size());
        copies.forEach(this::notSentAgain);
        summary();
    }

    /// Programs were told the same.
    void check(EventLedger events, int shards) {
        events.check(acknowledged, copies.keySet(), shards);
    }

    private Map<MixedMail.Result, Set<String>> recipients() {
        return acknowledged.stream().flatMap(number -> MixedMail.message(number).recipients().stream().map(
                recipient -> MixedMail.Result.of(recipient) == MixedMail.Result.FILED
                        ? number + " " + recipient
                        : recipient))
                .collect(Collectors.groupingBy(MixedMail.Result::of, Collectors.toSet()));
    }

    private static Set<String> reported(Maildirs mail) {
        return mail.newMail(MixedMail.SENDER).stream().map(report -> new String(report, StandardCharsets.ISO_8859_1))
                .flatMap(report -> REPORTED.matcher(report).results()).map(match -> match.group(1))
                .collect(Collectors.toSet());
    }

    private void inTheMailbox(Maildirs mail, int wanted) {
        var filed = mail.newMail(MixedMail.HERE);
        var ids = filed.stream().map(OutgoingMessage::idOf).toList();
        assertThat(ids).as("filed once").doesNotHaveDuplicates();
        var promised = acknowledged.stream().map(MixedMail::message)
                .filter(message -> message.recipients().contains(MixedMail.HERE)).map(OutgoingMessage::id).toList();
        assertThat(promised).hasSize(wanted);
        assertThat(Set.copyOf(ids)).as("everything acknowledged for " + MixedMail.HERE).containsAll(promised);
        filed.forEach(each -> MailAssert.unchangedInMailbox(MixedMail.of(OutgoingMessage.idOf(each)).content(), each));
    }

    /// In order of time.
    private void notSentAgain(String recipient, List<Copy> sent) {
        for (int i = 0; i + 1 < sent.size(); i++) {
            var copy = sent.get(i);
            if (copy.answered) {
                assertThat(sent.get(i + 1).life).as("life of the second copy to " + recipient).isGreaterThan(copy.life);
                assertThat(beforeTheKill(copy)).as("from the sink's reply for " + recipient + " to the kill, life "
                        + copy.life + ", sent again in life " + sent.get(i + 1).life).isLessThan(WINDOW);
            }
        }
    }

    /// Negative for a reply that the dead server could not read.
    private Duration beforeTheKill(Copy copy) {
        return Duration.ofNanos(kills.get(copy.life) - copy.atNanos);
    }

    private void summary() {
        var again = copies.values().stream().filter(sent -> sent.size() > 1)
                .flatMap(sent -> sent.subList(0, sent.size() - 1).stream()).filter(Copy::answered).toList();
        System.out.printf(
                "CrashIT: %d kills, %d messages acknowledged, %d recipients at the sink, %d of them sent again, "
                        + "the earliest %d ms before its kill%n",
                kills.size(), acknowledged.size(), copies.size(), again.size(),
                again.stream().mapToLong(copy -> beforeTheKill(copy).toMillis()).max().orElse(0));
    }
}
