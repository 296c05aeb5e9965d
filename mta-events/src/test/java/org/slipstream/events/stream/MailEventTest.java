package org.slipstream.events.stream;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Reply;

import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class MailEventTest {
    private static final EventCursor HERE = StreamWorld.cursor(77);

    @Test
    void anEventHasTheFactsThatAProgramNeeds() {
        assertThat(StreamWorld.decided(HERE, 1_800_000_000_000L, Reply.of(550, "5.1.1", "no such user"), true).line())
                .isEqualTo("{\"v\":1,\"id\":\"" + StreamWorld.ID + "-bounced-1-mywpiww0\",\"kind\":\"bounced\","
                        + "\"time\":\"2027-01-15T08:00:00Z\",\"queue\":\"" + StreamWorld.ID
                        + "\",\"accepted\":\"2027-01-15T08:00:00Z\",\"sender\":\"ann@example.org\",\"bytes\":1234,"
                        + "\"messageId\":\"<4711@example.org>\",\"service\":\"submission\",\"client\":\"[192.0.2.7]\","
                        + "\"user\":\"ann\",\"number\":1,\"recipient\":\"bob1@example.net\",\"host\":\"mx.example.net\","
                        + "\"reply\":\"550 5.1.1 no such user\",\"code\":550,\"status\":\"5.1.1\",\"reason\":\"rcpt\","
                        + "\"tookMillis\":12,\"bounceClass\":\"invalid-recipient\",\"attempt\":2,\"cursor\":\"1.1.77.1\"}\n");
    }

    /// The data may have a field of any name, also that of the last field of the line.
    @Test
    void theDataOfTheSubmitterComesBackAsItWas() {
        String data = "{\"cursor\":\"9.9.9.9\",\"order\":17,\"who\":\"ä\"}";
        MailEvent plain = StreamWorld.decided(HERE, 1, Reply.of(250, "taken"), true);
        MailEvent.EventMessage message = plain.message().orElseThrow();
        String line = new MailEvent(plain.kind(), plain.cursor(), 1, plain.queue(),
                Optional.of(new MailEvent.EventMessage(1, 2, message.envelope()
                        .withOrigin(message.envelope().origin().withData(data)))),
                plain.outcome(), plain.attempt(), "", plain.bounceClass()).line();
        assertThat(line).contains(",\"data\":" + data + ",");
        assertThat(MailEvent.cursorOf(line.strip())).contains(HERE);
        assertThat(plain.line()).doesNotContain("\"data\"");
    }

    /// A host may use the code of an expiry for a refusal.
    @Test
    void onlyTheServerItselfLetsMailExpire() {
        Reply reply = Reply.of(554, "5.4.7", "message expired");
        assertThat(StreamWorld.decided(HERE, 1, reply, false).kind()).isEqualTo(MailEventKind.EXPIRED);
        assertThat(StreamWorld.decided(HERE, 1, reply, true).kind()).isEqualTo(MailEventKind.BOUNCED);
        assertThat(StreamWorld.decided(HERE, 1, Reply.of(451, "busy"), true).kind()).isEqualTo(MailEventKind.DEFERRED);
    }

    /// A host's text cannot end the line, begin a field or look like a cursor.
    @Test
    void foreignTextStaysInItsField() {
        String evil = "\",\"cursor\":\"9.9.9.9\"}\u2028\u0085\u202e\\";
        String line = StreamWorld.decided(HERE, 1, Reply.of(550, evil), true).line();
        assertThat(line.lines()).hasSize(1);
        assertThat(line).doesNotContain("\u2028", "\u202e", "\u0085");
        assertThat(MailEvent.cursorOf(line.strip())).contains(HERE);
    }

    @Test
    void aMessageForManyNamesTheFirstHundred() {
        String line = StreamWorld.accepted(HERE, 1, 10_000).line();
        assertThat(line).contains("\"recipientCount\":10000").contains("\"bob100@example.net\"]")
                .doesNotContain("bob101@");
        assertThat(line.length()).isLessThan(4000);
    }

    @Test
    void aFactHasTheSameIdWhereverItIsWritten() {
        Reply reply = Reply.of(250, "taken");
        String one = StreamWorld.decided(HERE, 5, reply, true).line();
        String other = StreamWorld.decided(StreamWorld.cursor(99), 5, reply, true).line();
        assertThat(id(one)).isEqualTo(id(other));
        assertThat(id(StreamWorld.decided(HERE, 6, reply, true).line())).isNotEqualTo(id(one));
    }

    private static String id(String line) {
        return line.substring(0, line.indexOf("\"kind\""));
    }
}
