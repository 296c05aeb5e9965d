package org.slipstream.smtpout.dialog;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Reply;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// The dialog alone, with random replies: it never throws, every transaction ends once, and its
/// memory is bounded.
class FuzzDialogueTest {
    private static final long MILLIS = Boolean.getBoolean("slipstream.long") ? 60_000 : 500;
    private static final int[] CODES = {250, 250, 250, 250, 250, 250, 250, 250, 354, 354, 251, 220, 421, 450, 452, 500,
            502,
            503, 550, 552, 554, 221, 299, 399, 599};

    @Test
    void anyRepliesInAnyOrder() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
        int rounds = 0;
        while (System.nanoTime() < end) {
            long round = random.nextLong();
            try {
                oneConnection(new SplittableRandom(round));
                rounds++;
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("round " + round + " of seed " + seed, e);
            }
        }
        System.out.println("fuzz: " + rounds + " dialogues, seed " + seed);
        assertThat(rounds).isPositive();
    }

    private static void oneConnection(SplittableRandom random) {
        List<String> extensions = new ArrayList<>(List.of("PIPELINING", "CHUNKING", "SIZE 200"));
        extensions.removeIf(_ -> random.nextInt(4) == 0);
        Rehearsal peer = Rehearsal.with(random.nextInt(4) == 0,
                random.nextInt(4) == 0 ? ClientProtocol.LMTP : ClientProtocol.SMTP,
                extensions.toArray(String[]::new));
        Pipeline pipeline = peer.pipeline();
        List<Long> begun = new ArrayList<>();
        List<Long> over = new ArrayList<>();
        long number = 0;
        for (int i = 0; i < 200; i++) {
            if (pipeline.mayBegin() && random.nextInt(3) > 0) {
                begun.add(++number);
                Transfer transfer = SendingTransactionTest.transfer(random.nextBoolean()
                        ? new String[]{"a@x.example"}
                        : new String[]{"a@x.example", "b@x.example", "ü@x.example"});
                record(pipeline.begin(transfer.portion(number, transfer.delivery().recipients()), "peer", 0), over);
            }
            write(pipeline, random, over);
            assertThat(pipeline.openCount()).isLessThanOrEqualTo(Pipeline.MOST_AWAITED);
            int dice = random.nextInt(200);
            boolean asked = pipeline.awaited().isPresent();
            if (dice > 1 && (asked || dice < 4)) {
                int code = asked && random.nextInt(3) > 0
                        ? pipeline.awaited().get() == DialogPhase.DATA ? 354 : 250
                        : CODES[random.nextInt(CODES.length)];
                ReplyEffects effects = pipeline.received(Reply.of(code, "x"));
                record(effects, over);
                if (effects.end().isPresent()) {
                    assertThat(effects.end().get().reason().isTransient()).isTrue();
                    break;
                }
            } else if (dice == 0) {
                record(pipeline.broken(Reply.of(450, "gone")), over);
                break;
            }
            if (i == 199) {
                record(pipeline.cut(Reply.of(451, "enough")), over);
            }
        }
        assertThat(over).containsExactlyInAnyOrderElementsOf(begun);
        assertThat(pipeline.next()).isInstanceOf(PipelineStep.Wait.class);
    }

    private static void write(Pipeline pipeline, SplittableRandom random, List<Long> over) {
        for (int i = 0; i < 1000; i++) {
            switch (pipeline.next()) {
                case PipelineStep.Write _ -> {
                }
                case PipelineStep.WriteContent _ -> pipeline.contentWritten();
                case PipelineStep.WriteChunk _ -> {
                    if (random.nextInt(20) == 0) {
                        record(pipeline.abandon(Reply.of(451, "disk")), over);
                    } else {
                        pipeline.chunk(random.nextInt(3) > 0);
                    }
                }
                case PipelineStep.Wait _ -> {
                    return;
                }
            }
        }
        throw new AssertionError("it never waits");
    }

    private static void record(ReplyEffects effects, List<Long> over) {
        over.addAll(effects.outcomes().keySet());
        over.addAll(effects.unanswered());
        assertThat(effects.outcomes().values()).allSatisfy(outcomes -> assertThat(outcomes).isNotEmpty());
    }
}
