package org.slipstream.smtpin.auth;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.sasl.ScramKeys;
import org.slipstream.smtpin.ScramClient;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

import static org.assertj.core.api.Assertions.assertThat;

class MechanismsTest {
    private static final byte[] SALT = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
    private static final byte[] CHANNEL = {1, 2, 3, 4};
    private static final byte[] SECRET = new byte[32];

    private final UserSecrets users = new UserSecrets() {
        @Override
        public boolean verify(String user, String password) {
            return user.equals("user") && password.equals("pencil");
        }

        @Override
        public Optional<ScramKeys> scram(String user) {
            return user.equals("user") || user.equals("a,b=c")
                    ? Optional.of(ScramKeys.derive("pencil", SALT, 4096))
                    : Optional.empty();
        }

        @Override
        public boolean hasScramKeys() {
            return true;
        }
    };

    /// RFC 7677 section 3, byte for byte.
    @Test
    void theExchangeOfTheRfc() throws IOException {
        ScramServer scram = new ScramServer(users, false, Map.of(), SECRET, "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0");
        assertThat(say(scram, "n,,n=user,r=rOprNGfwEbeRWgbNEkqO")).isEqualTo(
                "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
        assertThat(say(scram, "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="))
                .isEqualTo("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
        assertThat(scram.respond(new byte[0])).isEqualTo(new Mechanism.Turn.Proven("user"));
    }

    @Test
    void aWrongPasswordAnUnknownUserAndAnotherChannelFailAtTheSamePlace() throws IOException {
        assertThat(end("user", "pencil", "n,,", new byte[0], false)).isEqualTo("proven user");
        assertThat(end("user", "pen", "n,,", new byte[0], false)).isEqualTo("failed at 2: wrong user or password");
        assertThat(end("nobody", "pencil", "n,,", new byte[0], false))
                .isEqualTo("failed at 2: wrong user or password");
        assertThat(end("user", "pencil", "p=tls-exporter,,", CHANNEL, true)).isEqualTo("proven user");
        assertThat(end("user", "pencil", "p=tls-exporter,,", new byte[]{1}, true)).contains("wrong channel");
        assertThat(end("a,b=c", "pencil", "n,,", new byte[0], false)).isEqualTo("proven a,b=c");
    }

    /// RFC 5802 section 6: a downgrade from channel binding is detected.
    @Test
    void bindingCannotBeTalkedAway() throws IOException {
        assertThat(end("user", "pencil", "y,,", new byte[0], false))
                .isEqualTo("failed at 1: the announcement of PLUS did not reach the client");
        assertThat(end("user", "pencil", "n,,", new byte[0], true)).contains("PLUS without channel binding");
        assertThat(end("user", "pencil", "p=tls-unique,,", CHANNEL, true)).contains("channel binding not served");
        assertThat(end("user", "pencil", "p=tls-exporter,,", CHANNEL, false)).contains("channel binding not served");
    }

    /// mutt 2.2 chooses PLUS by its name and cannot bind. It sends `n`; a client that could bind sends `y`.
    @Test
    void withoutPlusEachClientLogsInWithWhatIsLeft() throws IOException {
        var mechanisms = new Mechanisms(Optional.of(users), false);
        assertThat(mechanisms.names(true)).containsExactly("SCRAM-SHA-256", "PLAIN", "LOGIN");
        assertThat(mechanisms.begin("SCRAM-SHA-256-PLUS", Map.of("tls-exporter", CHANNEL))).isEmpty();
        for (String header : List.of("n,,", "y,,")) {
            Mechanism scram = mechanisms.begin("SCRAM-SHA-256", Map.of("tls-exporter", CHANNEL)).orElseThrow();
            assertThat(end(scram, new ScramClient("user", "pencil", header, new byte[0]))).isEqualTo("proven user");
        }
    }

    @Test
    void noUserActsForAnother() throws IOException {
        assertThat(end("user", "pencil", "n,a=user,", new byte[0], false)).isEqualTo("proven user");
        assertThat(end("user", "pencil", "n,a=root,", new byte[0], false)).contains("acts for another user");
    }

    /// An unknown user always gets the same salt, so a salt discloses nothing.
    @Test
    void aUserWhoDoesNotExistHasASalt() throws IOException {
        String one = say(new ScramServer(users, false, Map.of(), SECRET, "s"), "n,,n=nobody,r=c");
        String two = say(new ScramServer(users, false, Map.of(), SECRET, "s"), "n,,n=nobody,r=c");
        String other = say(new ScramServer(users, false, Map.of(), SECRET, "s"), "n,,n=anybody,r=c");
        assertThat(one).isEqualTo(two).isNotEqualTo(other).contains(",i=4096");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "n", "n,,", "n,,n=,r=x", "n,,n=user", "x,,n=user,r=c", "n,,n=us=er,r=c",
            "n,,m=1,n=user,r=c",
            "n,,n=user,r=a b", "n,,n=user,r="})
    void malformedBeginnings(String message) throws IOException {
        assertThat(
                new ScramServer(users, false, Map.of(), SECRET, "s").respond(message.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(Mechanism.Turn.Failed.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "c=biws,r=cs", "c=biws,r=other,p=AAAA", "c=!,r=cs,p=AAAA", "c=biws,r=cs,p=A",
            "c=biws,r=cs,p=", "r=cs,c=biws,p=AAAA", "c=eSws,r=cs,p=AAAA"})
    void malformedEnds(String message) throws IOException {
        ScramServer scram = new ScramServer(users, false, Map.of(), SECRET, "s");
        say(scram, "n,,n=user,r=c");
        assertThat(scram.respond(message.getBytes(StandardCharsets.UTF_8))).isInstanceOf(Mechanism.Turn.Failed.class);
    }

    @Test
    void mechanismsTakeAnyBytes() throws IOException {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        Mechanisms all = new Mechanisms(Optional.of(users), true);
        String[] pieces = {"n,,", "n=user", ",", "r=", "c=biws", "p=AA==", "\0", "user", "pencil", "=", "\u00ff", "a="};
        for (int round = 0; round < (Boolean.getBoolean("slipstream.long") ? 20_000 : 1_000); round++) {
            for (String name : all.names(true)) {
                Mechanism mechanism = all.begin(name, Map.of("tls-exporter", CHANNEL)).orElseThrow();
                for (int turn = 0; turn < 3; turn++) {
                    StringBuilder text = new StringBuilder();
                    for (int i = random.nextInt(6); i > 0; i--) {
                        text.append(pieces[random.nextInt(pieces.length)]);
                    }
                    assertThat(mechanism.respond(text.toString().getBytes(StandardCharsets.ISO_8859_1)))
                            .as("seed %d: %s %s", seed, name, text).isNotNull();
                }
            }
        }
    }

    @Test
    void keysDoNotShowThemselves() {
        ScramKeys keys = ScramKeys.derive("pencil", SALT, 4096);
        assertThat(keys).isEqualTo(ScramKeys.derive("pencil", SALT, 4096)).hasToString("ScramKeys[iterations=4096]")
                .isNotEqualTo(ScramKeys.derive("pencils", SALT, 4096));
        assertThat(HexFormat.of().formatHex(keys.storedKey())).hasSize(64);
    }

    private String end(String user, String password, String header, byte[] channel, boolean plus) throws IOException {
        Mechanism mechanism = new Mechanisms(Optional.of(users), true)
                .begin(plus ? "SCRAM-SHA-256-PLUS" : "SCRAM-SHA-256", Map.of("tls-exporter", CHANNEL)).orElseThrow();
        return end(mechanism, new ScramClient(user, password, header, channel));
    }

    private static String end(Mechanism mechanism, ScramClient client) throws IOException {
        Mechanism.Turn first = mechanism.respond(Base64.getDecoder().decode(client.first()));
        if (first instanceof Mechanism.Turn.Failed failed) {
            return "failed at 1: " + failed.why();
        }
        String challenge = Base64.getEncoder().encodeToString(((Mechanism.Turn.Challenge) first).bytes());
        Mechanism.Turn second = mechanism.respond(Base64.getDecoder().decode(client.last(challenge)));
        if (second instanceof Mechanism.Turn.Failed failed) {
            return "failed at 2: " + failed.why();
        }
        return mechanism.respond(new byte[0]) instanceof Mechanism.Turn.Proven(String name)
                ? "proven " + name
                : "failed at 3";
    }

    private static String say(Mechanism mechanism, String message) throws IOException {
        return new String(
                ((Mechanism.Turn.Challenge) mechanism.respond(message.getBytes(StandardCharsets.UTF_8))).bytes(),
                StandardCharsets.UTF_8);
    }
}
