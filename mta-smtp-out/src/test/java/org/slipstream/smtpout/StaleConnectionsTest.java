package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Letter;
import org.slipstream.core.Outcome;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.parcel;
import static org.slipstream.smtpout.ScriptedServer.BYE;
import static org.slipstream.smtpout.ScriptedServer.HELLO;
import static org.slipstream.smtpout.ScriptedServer.TAKE;

/// Connections that the peer takes away while nobody uses them, or just when somebody wants to.
class StaleConnectionsTest {
    private final RecordingHouse house = new RecordingHouse();
    private final Carriers carriers = new Carriers(Post.patient(), house);

    @AfterEach
    void stop() {
        carriers.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"DROP", "CUT", "S 421 4.4.2 idle too long"})
    void theHouseHearsOfAnIdleConnectionThatWentAway(String end) {
        try (var server = ScriptedServer.of(HELLO + TAKE + "GATE\n" + end + "\n")) {
            firstMessage(server);
            server.openGate();
            assertThat(house.lost().connection()).isEqualTo(1);
            assertThat(house.lost().reason()).containsAnyOf("closed by peer", "reset", "421 4.4.2 idle too long");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"DROP", "CUT"})
    void aPeerThatClosesJustAsTheNextMessageComesIsCalledAgain(String end) {
        String closesOnMail = "C MAIL FROM:*\n" + end + "\n";
        try (var server = ScriptedServer.of(HELLO + TAKE + closesOnMail, HELLO + TAKE + TAKE + BYE)) {
            firstMessage(server);
            carriers.deliver(1, parcel(2));
            RecordingHouse.Done done = house.done(2);
            assertThat(done.only()).isInstanceOf(Outcome.Delivered.class);
            assertThat(done.usable()).isTrue();
            carriers.deliver(1, parcel(3));
            assertThat(house.done(3).only()).isInstanceOf(Outcome.Delivered.class);
            assertThat(server.connections()).isEqualTo(2);
            assertThat(house.news()).as("the house knows of one connection").hasSize(4);
        }
    }

    @Test
    void callingAgainIsTriedOnlyOnce() {
        String closesOnMail = "C MAIL FROM:*\nDROP\n";
        try (var server = ScriptedServer.of(HELLO + TAKE + closesOnMail, HELLO + closesOnMail)) {
            firstMessage(server);
            carriers.deliver(1, parcel(2));
            RecordingHouse.Done done = house.done(2);
            assertThat(done.reply().status()).hasToString("Optional[4.4.2]");
            assertThat(done.usable()).isFalse();
            assertThat(done.siteTrouble()).isTrue();
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void callingAgainMayFail() {
        try (var server = ScriptedServer.of(HELLO + TAKE + "C MAIL FROM:*\nDROP\n", "S 421 4.3.2 busy\n")) {
            firstMessage(server);
            carriers.deliver(1, parcel(2));
            RecordingHouse.Done done = house.done(2);
            assertThat(done.reply().toString()).contains("421 4.3.2 busy");
            assertThat(done.usable()).isFalse();
            assertThat(done.siteTrouble()).isTrue();
        }
    }

    @Test
    void aMessageThatThePeerHasReactedToIsNotTriedTwice() {
        try (var server = ScriptedServer.of(HELLO + TAKE + "C MAIL FROM:*\nC RCPT*\nC DATA\nS 250 ok\nDROP\n")) {
            firstMessage(server);
            carriers.deliver(1, parcel(2));
            RecordingHouse.Done done = house.done(2);
            assertThat(done.only()).isInstanceOf(Outcome.Deferred.class);
            assertThat(done.siteTrouble()).isTrue();
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aParcelThatCrossesTheNewsOfTheLossIsCarriedByAConnectionOfItsOwn() {
        try (var server = ScriptedServer.of(HELLO + TAKE + "GATE\nDROP\n", HELLO + TAKE + BYE)) {
            firstMessage(server);
            server.openGate();
            house.lost();
            carriers.deliver(1, parcel(2));
            RecordingHouse.Done done = house.done(2);
            assertThat(done.only()).isInstanceOf(Outcome.Delivered.class);
            assertThat(done.usable()).as("the house counts it as gone").isFalse();
            carriers.deliver(1, parcel(3));
            assertThat(house.done(3).reply()).isEqualTo(Troubles.noSuchConnection());
        }
    }

    @Test
    void aParcelThatWaitsWhileThePeerLeavesGetsANewConnection() {
        CountDownLatch handedOver = new CountDownLatch(1);
        try (var server = ScriptedServer.of(HELLO + TAKE + "DROP\n", HELLO + TAKE + BYE)) {
            carriers.open(1, server.route());
            house.ready();
            // The second parcel is in the mailbox before the first is answered, and the loss comes with that answer.
            carriers.deliver(1, parcel(1, letter(handedOver)));
            carriers.deliver(1, parcel(2));
            handedOver.countDown();
            assertThat(house.done(1).only()).isInstanceOf(Outcome.Delivered.class);
            assertThat(house.done(2).only()).isInstanceOf(Outcome.Delivered.class);
        }
    }

    @Test
    void aPeerThatHangsUpOnResetIsNoticed() {
        try (var server = ScriptedServer.of(HELLO + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 550 5.1.1 unknown
                S 554 nobody
                C RSET
                S 421 4.7.0 too many errors
                """)) {
            carriers.open(1, server.route());
            house.ready();
            carriers.deliver(1, parcel(1));
            assertThat(house.done(1).usable()).isTrue();
            assertThat(house.lost().reason()).isEqualTo("421 4.7.0 too many errors");
        }
    }

    private static Letter letter(CountDownLatch opened) {
        Letter plain = Post.letter(Post.LETTER);
        return new Letter() {
            @Override
            public long sizeBytes() {
                return plain.sizeBytes();
            }

            @Override
            public InputStream open() throws IOException {
                try {
                    opened.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                return plain.open();
            }
        };
    }

    private void firstMessage(ScriptedServer server) {
        carriers.open(1, server.route());
        house.ready();
        carriers.deliver(1, parcel(1));
        assertThat(house.done(1).usable()).isTrue();
    }
}
