package org.slipstream.core;

import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

final class LineEndsTest {
    @Test
    void eachPlaceOfALineEndIsFoundWhereverTheSearchBegins() {
        for (byte end : new byte[]{'\r', '\n'}) {
            for (int place = 0; place < 40; place++) {
                byte[] block = new byte[40];
                block[place] = end;
                for (int from = 0; from <= place; from++) {
                    assertThat(new LineEnds().next(block, from, 40)).isEqualTo(place);
                }
                assertThat(new LineEnds().next(block, 0, place)).as("it lies beyond the end").isEqualTo(place);
                assertThat(new LineEnds().next(block, place + 1, 40)).as("none is left").isEqualTo(40);
            }
        }
    }

    /// Bytes that differ from a line end by one or by the top bit are the risky cases of arithmetic
    /// on eight bytes.
    @Test
    void anyBytesAreSearchedAsOneByOne() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        byte[] near = {'\r', '\n', 0x0b, 0x0c, 0x0e, 0x09, (byte) 0x8d, (byte) 0x8a, 0, 1, (byte) 0x80, (byte) 0xff,
                'a'};
        for (int round = 0; round < 20_000; round++) {
            byte[] block = new byte[random.nextInt(40)];
            for (int i = 0; i < block.length; i++) {
                block[i] = near[random.nextInt(4) == 0
                        ? random.nextInt(near.length)
                        : 2 + random.nextInt(near.length - 2)];
            }
            int from = random.nextInt(block.length + 1);
            int to = from + random.nextInt(block.length - from + 1);
            int one = from;
            while (one < to && block[one] != '\r' && block[one] != '\n') {
                one++;
            }
            assertThat(new LineEnds().next(block, from, to)).as("seed " + seed + " round " + round).isEqualTo(one);
            boolean eightBit = false;
            for (int i = from; i < one; i++) {
                eightBit |= block[i] < 0;
            }
            LineEnds ends = new LineEnds();
            ends.next(block, from, to);
            assertThat(ends.eightBit()).as("seed " + seed + " round " + round).isEqualTo(eightBit);
        }
    }
}
