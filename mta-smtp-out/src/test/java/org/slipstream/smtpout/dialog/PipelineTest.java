package org.slipstream.smtpout.dialog;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Reply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.dialog.SendingTransactionTest.transfer;

/// Several messages at once: the order of writes and replies, and failures that stay with their
/// message.
@Tag("FI-34")
class PipelineTest {
    private final Rehearsal data = Rehearsal.with(ClientProtocol.SMTP, "PIPELINING");
    private final Rehearsal bdat = Rehearsal.with(ClientProtocol.SMTP, "PIPELINING", "CHUNKING");

    @Test
    void withDataTheNextEnvelopeRidesWithTheContent() {
        data.deliver(1, transfer("a@x.example"));
        assertThat(data.pipeline().mayBegin()).as("the content must leave first").isFalse();
        data.hear("250 ok", "250 ok", "354 go");
        data.deliver(2, transfer("b@x.example"));
        assertThat(data.hear("250 2.0.0 one", "250 ok", "250 ok", "354 go", "250 2.0.0 two")).isEqualTo("""
                MAIL FROM:<me@here.example> | RCPT TO:<a@x.example> | DATA
                (content)
                MAIL FROM:<me@here.example> | RCPT TO:<b@x.example> | DATA
                1 Delivered 250 2.0.0 one
                (content 2)
                2: 1 Delivered 250 2.0.0 two""");
        assertThat(data.pipeline().isIdle()).isTrue();
    }

    @Test
    void withBdatWholeMessagesFollowEachOther() {
        bdat.deliver(1, transfer("a@x.example")).deliver(2, transfer("b@x.example")).deliver(3,
                transfer("c@x.example"));
        assertThat(bdat.text()).isEqualTo("""
                MAIL FROM:<me@here.example> | RCPT TO:<a@x.example>
                (BDAT 1 LAST)
                RSET
                MAIL FROM:<me@here.example> | RCPT TO:<b@x.example>
                (BDAT 2 LAST)
                RSET
                MAIL FROM:<me@here.example> | RCPT TO:<c@x.example>
                (BDAT 3 LAST)""");
        assertThat(bdat.hear("250 ok", "250 ok", "250 one", "250 reset", "250 ok", "250 ok", "250 two", "250 reset",
                "250 ok", "250 ok", "250 three")).endsWith("""
                        1 Delivered 250 one
                        2: 1 Delivered 250 two
                        3: 1 Delivered 250 three""");
        assertThat(bdat.pipeline().isIdle()).as("the last one was taken, nothing is left to reset").isTrue();
    }

    @Test
    void afterAnAnsweredMessageNoResetIsNeeded() {
        bdat.deliver(1, transfer("a@x.example")).hear("250 ok", "250 ok", "250 one");
        assertThat(bdat.deliver(2, transfer("b@x.example")).text()).doesNotContain("RSET");
    }

    @Test
    void aSenderRefusedInTheMiddleLeavesItsNeighboursAlone() {
        bdat.deliver(1, transfer("a@x.example")).deliver(2, transfer("b@x.example")).deliver(3,
                transfer("c@x.example"));
        assertThat(bdat.hear("250 ok", "250 ok", "250 one", "250 reset", "550 5.7.1 not you", "503 no mail",
                "503 no mail", "250 reset", "250 ok", "250 ok", "250 three")).endsWith("""
                        1 Delivered 250 one
                        2: 1 Failed 550 5.7.1 not you
                        3: 1 Delivered 250 three""");
    }

    @Test
    void aMessageWithoutValidRecipientsIsReadAndThrownAwayByThePeer() {
        bdat.deliver(1, transfer("a@x.example", "b@x.example")).deliver(2, transfer("c@x.example"));
        assertThat(bdat.hear("250 ok", "550 5.1.1 who", "450 4.2.2 full", "554 5.5.1 no valid recipients", "250 reset",
                "250 ok", "250 ok", "250 two")).endsWith("""
                        1 Failed 550 5.1.1 who
                        2 Deferred 450 4.2.2 full
                        2: 1 Delivered 250 two""");
    }

    @Test
    void aPeerThatAcceptsAMessageWithoutRecipientsHasDeliveredItToNone() {
        bdat.deliver(1, transfer("a@x.example"));
        assertThat(bdat.hear("250 ok", "550 5.1.1 who", "250 2.0.0 taken all the same"))
                .endsWith("1 Failed 550 5.1.1 who");
    }

    @Test
    void dataAcceptedWithoutRecipientsEndsWithALoneDotInOneWriteWithTheNext() {
        data.deliver(1, transfer("a@x.example")).hear("250 ok", "550 5.1.1 who", "354 go");
        data.deliver(2, transfer("b@x.example"));
        assertThat(data.hear("554 no valid recipients", "250 ok", "250 ok", "354 go", "250 two")).isEqualTo("""
                MAIL FROM:<me@here.example> | RCPT TO:<a@x.example> | DATA
                .
                MAIL FROM:<me@here.example> | RCPT TO:<b@x.example> | DATA
                1 Failed 550 5.1.1 who
                (content 2)
                2: 1 Delivered 250 two""");
    }

    @Test
    void afterRefusedDataTheNextBeginsWithReset() {
        data.deliver(1, transfer("a@x.example")).hear("250 ok", "550 5.1.1 who", "554 nobody");
        assertThat(data.deliver(2, transfer("b@x.example")).hear("250 reset", "250 ok", "250 ok", "354 go", "250 two"))
                .isEqualTo("""
                        MAIL FROM:<me@here.example> | RCPT TO:<a@x.example> | DATA
                        1 Failed 550 5.1.1 who
                        RSET
                        MAIL FROM:<me@here.example> | RCPT TO:<b@x.example> | DATA
                        (content 2)
                        2: 1 Delivered 250 two""");
    }

    @Test
    void aLargeMessageGoesInChunksAndARefusedChunkIsTheLast() {
        bdat.chunks(3).deliver(1, transfer("a@x.example"));
        assertThat(bdat.text()).endsWith("(BDAT 1)\n(BDAT 1)\n(BDAT 1 LAST)");
        assertThat(bdat.hear("250 ok", "250 ok", "250 1000 octets", "552 5.3.4 enough", "503 what for")).endsWith("""
                1 Failed 552 5.3.4 enough
                RSET""");
        assertThat(bdat.hear("250 reset")).endsWith("RSET");
        assertThat(bdat.pipeline().isIdle()).isTrue();
    }

    @Test
    void goodbyeInTheMiddleAnswersWhoWasAskedAndGivesTheOthersBack() {
        bdat.deliver(1, transfer("a@x.example")).deliver(2, transfer("b@x.example")).deliver(3,
                transfer("c@x.example"));
        assertThat(bdat.hear("250 ok", "250 ok", "250 one", "250 reset", "250 ok", "421 4.7.0 not that one"))
                .endsWith("""
                        1 Delivered 250 one
                        2: 1 Deferred 421 4.7.0 not that one
                        3: unanswered
                        CLOSE 421 4.7.0 not that one""");
    }

    @Test
    void a421BetweenTwoMessagesAnswersNeither() {
        bdat.deliver(1, transfer("a@x.example")).deliver(2, transfer("b@x.example"));
        assertThat(bdat.hear("250 ok", "250 ok", "250 one", "421 4.7.0 enough for today")).endsWith("""
                1 Delivered 250 one
                2: unanswered
                CLOSE 421 4.7.0 enough for today""");
    }

    @Test
    void aReplyTooManyIsNoticed() {
        bdat.deliver(1, transfer("a@x.example"));
        assertThat(bdat.hear("250 ok", "250 ok", "250 one", "250 one more")).endsWith(
                "CLOSE 451 4.5.0 unsolicited response: 250 one more (pipelines badly: unsolicited reply: 250 one more)");
    }

    @Test
    void anUnrequested421IsNoProtocolError() {
        bdat.deliver(1, transfer("a@x.example"));
        assertThat(bdat.hear("250 ok", "250 ok", "250 one", "421 4.4.2 idle")).endsWith("CLOSE 421 4.4.2 idle");
    }

    @Test
    void aPeerThatLosesTheOrderIsDetectedAndNoMessageIsBlamed() {
        bdat.deliver(1, transfer("a@x.example")).deliver(2, transfer("b@x.example"));
        assertThat(bdat.hear("250 ok", "503 5.5.1 MAIL first")).endsWith("""
                1: unanswered
                2: unanswered
                CLOSE 451 4.5.0 protocol error in the reply to RCPT: 503 5.5.1 MAIL first \
                (pipelines badly: protocol error in the reply to RCPT: 503 5.5.1 MAIL first)""".replace("1: ", ""));
    }

    @Test
    void aPeerThatAnnouncesBdatAndDoesNotKnowItIsFoundOut() {
        bdat.deliver(1, transfer("a@x.example"));
        assertThat(bdat.hear("250 ok", "250 ok", "500 5.5.1 BDAT?")).endsWith("""
                unanswered
                CLOSE 451 4.5.0 protocol error in the reply to the end of data: 500 5.5.1 BDAT? \
                (pipelines badly: protocol error in the reply to the end of data: 500 5.5.1 BDAT?)""");
    }

    @Test
    void aPeerThatRefusesToNestIsFoundOutButOneThatWantsAuthIsNot() {
        bdat.deliver(1, transfer("a@x.example")).deliver(2, transfer("b@x.example"));
        assertThat(bdat.hear("250 ok", "250 ok", "250 one", "250 reset", "503 5.5.1 nested MAIL"))
                .contains("2: unanswered", "pipelines badly");
        assertThat(data.deliver(1, transfer("a@x.example")).hear("503 5.5.1 AUTH first", "503 no", "503 no"))
                .contains("1 Failed 503 5.5.1 AUTH first").doesNotContain("badly");
    }

    @Test
    void anEndInTheFirstMessagesWrittenAheadIsSuspiciousAndALaterOneIsNot() {
        bdat.deliver(1, transfer("a@x.example")).deliver(2, transfer("b@x.example"));
        assertThat(bdat.breakOff()).contains("unanswered\n2: unanswered").contains("pipelines badly");
        Rehearsal proven = Rehearsal.with(ClientProtocol.SMTP, "PIPELINING", "CHUNKING");
        proven.deliver(1, transfer("a@x.example")).deliver(2, transfer("b@x.example"));
        proven.hear("250 ok", "250 ok", "250 one", "250 ok", "250 ok", "250 ok", "250 two");
        proven.deliver(3, transfer("c@x.example")).deliver(4, transfer("d@x.example"));
        assertThat(proven.breakOff()).endsWith("3: unanswered\n4: unanswered\nCLOSE 450 4.4.2 gone");
    }

    @Test
    void theEndOfTheConnectionLeavesAnswersAsTheyAre() {
        bdat.deliver(1, transfer("a@x.example")).deliver(2, transfer("b@x.example", "c@x.example"));
        bdat.hear("250 ok", "250 ok", "250 one", "250 ok", "250 ok", "550 5.1.1 who");
        assertThat(bdat.breakOff()).contains("""
                1 Delivered 250 one
                2: 1 Failed 550 5.1.1 who
                2: 2 Deferred 450 4.4.2 gone""");
    }

    @Test
    void aMessageThatCannotBeReadIsLeftOutBetweenItsNeighbours() {
        bdat.deliver(1, transfer("a@x.example"));
        // Its first chunk is written, and the next one cannot be read.
        Pipeline pipeline = bdat.pipeline();
        pipeline.begin(transfer("b@x.example").portion(2, transfer("b@x.example").delivery().recipients()), "peer", 0);
        assertThat(pipeline.next()).isEqualTo(new PipelineStep.Write("RSET\r\n"));
        assertThat(pipeline.next()).isInstanceOf(PipelineStep.Write.class);
        assertThat(pipeline.next()).isEqualTo(new PipelineStep.WriteChunk(2));
        pipeline.chunk(false);
        assertThat(pipeline.abandon(Reply.of(451, "4.3.0", "disk")).anyOver()).isFalse();
        assertThat(bdat.deliver(3, transfer("c@x.example")).text()).endsWith("RSET\n"
                + "MAIL FROM:<me@here.example> | RCPT TO:<c@x.example>\n(BDAT 3 LAST)");
        assertThat(bdat.hear("250 ok", "250 ok", "250 one", "250 reset", "250 ok", "250 ok", "250 chunk", "250 reset",
                "250 ok", "250 ok", "250 three")).endsWith("""
                        1 Delivered 250 one
                        2: unanswered
                        3: 1 Delivered 250 three""");
    }

    @Test
    void thePeerIsSpokenToPlainlyWhenItIsKnownToBreak() {
        Rehearsal plain = Rehearsal.with(true, ClientProtocol.SMTP, "PIPELINING", "CHUNKING");
        assertThat(plain.deliver(transfer("a@x.example")).hear("250 ok", "250 ok", "354 go", "250 one")).isEqualTo("""
                MAIL FROM:<me@here.example>
                RCPT TO:<a@x.example>
                DATA
                (content)
                1 Delivered 250 one""");
        assertThat(plain.pipeline().reach()).isEqualTo(Pipeline.Reach.ONE);
    }

    @Test
    void noMoreMessagesThanThePeerWantsOnOneConnection() {
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP, "PIPELINING", "CHUNKING", "LIMITS MAILMAX=2");
        peer.deliver(1, transfer("a@x.example"));
        assertThat(peer.pipeline().mayBegin()).isTrue();
        peer.deliver(2, transfer("b@x.example"));
        assertThat(peer.pipeline().mayBegin()).isFalse();
        assertThat(peer.pipeline().isExhausted()).isTrue();
    }

    @Test
    void theNumberOfOutstandingRepliesIsBounded() {
        int begun = 0;
        while (bdat.pipeline().mayBegin()) {
            bdat.deliver(++begun, transfer("a@x.example", "b@x.example"));
        }
        assertThat(begun * 5).isBetween(Pipeline.MOST_AWAITED / 2, Pipeline.MOST_AWAITED);
    }
}
