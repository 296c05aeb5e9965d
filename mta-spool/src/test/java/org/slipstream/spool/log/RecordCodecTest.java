package org.slipstream.spool.log;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RecordCodecTest {
    private static final String ALPHABET = "abcXYZ019 .-+=@\"\\\0äß漢😀";
    private static final int ROUNDS = 300;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @Test
    void recordsOfAnyKindComeBackInOrder() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            List<LogRecord> records = Stream.of(oneOfEachKind(), oneOfEachKind()).flatMap(List::stream).toList();
            assertThat(decode(RecordCodec.encode(records))).as("seed %d", seed).isEqualTo(records);
        }
    }

    @Test
    void eachKindThatHasNoContentIsTried() {
        assertThat(oneOfEachKind()).extracting(Object::getClass).as("all kinds but those with a form of their own")
                .containsExactlyInAnyOrderElementsOf(kinds());
    }

    private static List<Class<?>> kinds() {
        return Stream.of(LogRecord.class, LogRecord.OfMessage.class)
                .flatMap(each -> Arrays.stream(each.getPermittedSubclasses()))
                .filter(each -> !each.isInterface() && each != LogRecord.Stored.class)
                .collect(Collectors.toList());
    }

    @Test
    void aRecordThatIsCutAnywhereIsDamage() {
        for (LogRecord record : oneOfEachKind()) {
            byte[] whole = RecordCodec.encode(List.of(record));
            for (int end = 1; end < whole.length; end++) {
                byte[] cut = Arrays.copyOf(whole, end);
                assertThatThrownBy(() -> decode(cut)).as("seed %d, %s cut at %d", seed, record, end)
                        .isInstanceOf(DamagedMessageException.class);
            }
        }
    }

    @Test
    void bytesThatAreNoRecordsAreDamageOrOfANewerProgramAndNothingElse() {
        for (int round = 0; round < 10 * ROUNDS; round++) {
            byte[] bytes = RecordCodec.encode(oneOfEachKind());
            for (int i = 0; i < 1 + random.nextInt(4); i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                decode(Arrays.copyOf(bytes, random.nextInt(bytes.length + 3)));
            } catch (DamagedMessageException | NewerLogException e) {
                continue;
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void aKindThatIsNotKnownIsOfANewerProgram() {
        byte[] bytes = RecordCodec.encode(List.of(new LogRecord.Remove(new QueueId(1))));
        for (int kind : new int[]{0, 120, 127, 255}) {
            bytes[0] = (byte) kind;
            assertThatThrownBy(() -> decode(bytes)).isInstanceOf(NewerLogException.class)
                    .hasMessageContaining("unknown kind");
        }
    }

    @Test
    void factsComeBackAndFactsThatAreNotKnownAreNot() {
        for (int round = 0; round < ROUNDS; round++) {
            ContentFacts facts = new ContentFacts(random.nextBoolean(), random.nextBoolean(),
                    random.nextLong() >>> 1, random.nextLong() >>> 1);
            byte[] bytes = RecordCodec.encode(Optional.of(facts));
            assertThat(bytes).hasSize(RecordCodec.FACTS_BYTES);
            assertThat(RecordCodec.facts(ByteBuffer.wrap(bytes))).as("seed %d", seed).contains(facts);
        }
        assertThat(RecordCodec.facts(ByteBuffer.wrap(RecordCodec.encode(Optional.empty())))).isEmpty();
    }

    @Test
    void anAttemptKeepsItsPhaseAndDurationAndADeferralWithoutAnAttemptItsReason() throws Exception {
        Outcome outcome = Outcome.of(Reply.of(421, "4.7.0", "too busy"), "mx.example.net");
        LogRecord record = new LogRecord.Outcomes(new QueueId(42), List.of(
                new RecipientOutcome(1, outcome,
                        new RecipientOutcome.Reached(Optional.of(QueuePhase.Code.FINAL_REPLY), 1_234)),
                RecipientOutcome.untried(2, outcome, QueuePhase.Code.QUEUE_ONLY), new RecipientOutcome(3, outcome)), 7,
                true);
        byte[] bytes = RecordCodec.encode(List.of(record));
        assertThat(bytes[0]).isEqualTo((byte) 2);
        assertThat(decode(bytes)).containsExactly(record);
    }

    @Test
    void anOutcomeWithoutPhaseHasTheKindOfEarlierVersionsWhichIsStillRead() throws Exception {
        LogRecord record = new LogRecord.Outcomes(new QueueId(42), List.of(
                new RecipientOutcome(5, Outcome.of(Reply.of(451, "4.7.1", "later"), "mx"))), 7, true);
        byte[] old = HexFormat.of().parseHex("01" + "000000000000002a" + "0000000000000007" + "01" + "01" // attempt, 1
                + "05" + "c303" + "05342e372e31" + "056c61746572" + "026d78"); // number, code, status, text, remote
        assertThat(decode(old)).containsExactly(record);
        assertThat(RecordCodec.encode(List.of(record))).isEqualTo(old);
    }

    private static List<LogRecord> decode(byte[] bytes) throws DamagedMessageException, NewerLogException {
        return RecordCodec.decode(ByteBuffer.wrap(bytes));
    }

    private List<LogRecord> oneOfEachKind() {
        return List.of(new LogRecord.Outcomes(id(), outcomes(), random.nextLong(), random.nextBoolean()),
                new LogRecord.Attempts(id(), random.nextInt() >>> 1),
                new LogRecord.PastAttempts(id(), List.of(new PastAttempt(1_800_000_000_000L, "mx.example.net",
                        Optional.of(QueuePhase.Code.RCPT), Reply.of(451, "4.3.2", "busy"), 40, 2))),
                new LogRecord.NextAttempt(id(), random.nextLong()), new LogRecord.Hold(id(), random.nextBoolean()),
                new LogRecord.FailuresReported(id()), new LogRecord.DelayReported(id(), 3),
                new LogRecord.SetAside(id()), lost(),
                new LogRecord.Instructed(id(), instruction()),
                new LogRecord.MakeDue(id(), random.nextLong()), new LogRecord.Remove(id()),
                new LogRecord.Deleted(id()),
                new LogRecord.KeepHost(new HostRecord(text(60), text(10), text(60), random.nextLong(),
                        random.nextLong(), random.nextInt() >>> 1, text(300), text(20))),
                new LogRecord.ForgetHost(text(60), text(10)), new LogRecord.KeepOrder(order()),
                new LogRecord.ForgetOrder(text(10), text(60)));
    }

    private LogRecord lost() {
        Envelope envelope = Envelope.of(Optional.empty(), List.of(Address.of("bob@example.net")));
        return new LogRecord.Lost(new StoredMessage(id(), random.nextLong(), random.nextInt() >>> 1, envelope),
                new RecordPlace(random.nextInt() >>> 1, random.nextInt() >>> 1, random.nextBoolean()));
    }

    private StandingOrder order() {
        return random.nextBoolean()
                ? new Suspension(SuspensionScope.values()[random.nextInt(4)], "far.example", text(300), text(20),
                        random.nextLong(), random.nextLong())
                : LimitOrder.parse("rate:far.example", "100/1h", text(300), text(20), random.nextLong(),
                        random.nextLong());
    }

    private Instruction instruction() {
        return switch (random.nextInt(6)) {
            case 0 -> new Instruction.Return(Instruction.Cause.CANCELLED, text(100));
            case 1 -> new Instruction.Return(Instruction.Cause.EXPIRED, "");
            case 2 -> new Instruction.Priority(random.nextInt(-9, 10));
            case 3 -> new Instruction.Reroute(Optional.empty());
            case 4 -> new Instruction.Reroute(Optional.of(new Route.Lmtp("unix:/run/" + random.nextInt())));
            default -> new Instruction.Reroute(Optional.of(new Route.Smtp("[ipv6:2001:db8::1]:2525",
                    List.of(new Route.Host("ipv6:2001:db8::1", 2525, 0)))));
        };
    }

    private QueueId id() {
        return new QueueId(1 + (random.nextLong() >>> 8));
    }

    private List<RecipientOutcome> outcomes() {
        return IntStream.rangeClosed(1, random.nextInt(5)).mapToObj(
                number -> new RecipientOutcome(number * (1 + random.nextInt(1000)), Outcome.of(reply(), text(80)),
                        reached()))
                .toList();
    }

    private RecipientOutcome.Reached reached() {
        QueuePhase.Code[] codes = QueuePhase.Code.values();
        return random.nextBoolean()
                ? RecipientOutcome.Reached.UNKNOWN
                : new RecipientOutcome.Reached(Optional.of(codes[random.nextInt(codes.length)]), random.nextInt(9) - 1);
    }

    private Reply reply() {
        int category = List.of(2, 4, 5).get(random.nextInt(3));
        Optional<EnhancedStatus> status = random.nextInt(3) == 0
                ? Optional.empty()
                : Optional.of(new EnhancedStatus(category, random.nextInt(1000), random.nextInt(1000)));
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
            lines.add(text(200));
        }
        return new Reply(100 * category + random.nextInt(100), status, lines);
    }

    /// May be empty.
    private String text(int most) {
        int[] points = ALPHABET.codePoints().toArray();
        int[] text = random.ints(random.nextInt(most), 0, points.length).map(i -> points[i]).toArray();
        return new String(text, 0, text.length);
    }
}
