package org.slipstream.spool.log;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.SenderTls;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EnvelopeCodecTest {
    private static final String ALPHABET = "abcXYZ019 .-+=@\"\\äß漢😀";

    @Test
    void anyEnvelopeComesBackAsItWas() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            Envelope envelope = envelope(random);
            assertThat(EnvelopeCodec.decode(ByteBuffer.wrap(EnvelopeCodec.encode(envelope)))).as("seed %d", seed)
                    .isEqualTo(envelope);
        }
    }

    @Test
    void bytesThatAreNoEnvelopeAreDamageAndNothingElse() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 3000; round++) {
            byte[] bytes = EnvelopeCodec.encode(envelope(random));
            for (int i = 0; i < 1 + random.nextInt(4); i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 3));
            try {
                EnvelopeCodec.decode(ByteBuffer.wrap(bytes));
            } catch (DamagedMessageException e) {
                continue;
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void anEnvelopeOfALaterVersionIsNotGuessedAt() {
        byte[] bytes = EnvelopeCodec.encode(Envelope.of(Optional.empty(), List.of(Address.of("bob@example.net"))));
        bytes[0] = 4;
        assertThatThrownBy(() -> EnvelopeCodec.decode(ByteBuffer.wrap(bytes)))
                .isInstanceOf(DamagedMessageException.class).hasMessageContaining("version 4");
    }

    private static DeliveryOptions options(Random random) {
        if (random.nextBoolean()) {
            return DeliveryOptions.NONE;
        }
        return new DeliveryOptions(random.nextBoolean() ? OptionalLong.of(random.nextLong()) : OptionalLong.empty(),
                random.nextBoolean()
                        ? Optional.of(new DeliveryOptions.DeliverBy(random.nextLong(), random.nextBoolean(),
                                random.nextBoolean()))
                        : Optional.empty(),
                random.nextInt(19) - 9,
                SenderTls.values()[random.nextInt(3)]);
    }

    private static Origin origin(Random random) {
        return random.nextBoolean()
                ? Origin.UNKNOWN
                : new Origin("submission", "[192.0.2.1]", text(random, 60), text(random, 30), text(random, 90),
                        random.nextBoolean()
                                ? Optional.of(new QueueId(1 + random.nextInt(Integer.MAX_VALUE - 1)))
                                : Optional.empty(),
                        random.nextBoolean() ? text(random, 1024) : "");
    }

    private static Envelope envelope(Random random) {
        List<Recipient> recipients = new ArrayList<>();
        int count = 1 + (random.nextInt(10) == 0 ? random.nextInt(300) : random.nextInt(4));
        for (int number = 1; number <= count; number++) {
            Set<DsnNotify> notifyOn = EnumSet.noneOf(DsnNotify.class);
            for (DsnNotify each : DsnNotify.values()) {
                if (random.nextInt(3) == 0) {
                    notifyOn.add(each);
                }
            }
            recipients.add(new Recipient(number, address(random), maybe(random), notifyOn));
        }
        return new Envelope(random.nextBoolean() ? Optional.of(address(random)) : Optional.empty(),
                BodyType.values()[random.nextInt(3)], random.nextBoolean(), maybe(random),
                DsnReturn.values()[random.nextInt(3)], recipients).withOptions(options(random))
                .withOrigin(origin(random));
    }

    private static Optional<String> maybe(Random random) {
        return random.nextBoolean() ? Optional.of(text(random, 300)) : Optional.empty();
    }

    private static Address address(Random random) {
        return new Address(text(random, 64), text(random, 255));
    }

    private static String text(Random random, int most) {
        int[] points = ALPHABET.codePoints().toArray();
        int[] text = random.ints(1 + random.nextInt(most), 0, points.length).map(i -> points[i]).toArray();
        return new String(text, 0, text.length);
    }
}
