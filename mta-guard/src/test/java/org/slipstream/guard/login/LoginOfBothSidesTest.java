package org.slipstream.guard.login;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.sasl.SaslPrep;
import org.slipstream.smtpin.auth.Mechanism;
import org.slipstream.smtpin.auth.Mechanisms;
import org.slipstream.smtpout.auth.Credentials;
import org.slipstream.smtpout.auth.Sasl;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Logins at this server by its own client: both directions prepare names and passwords alike.
class LoginOfBothSidesTest {
    private static final String COMPOSED = "p\u00e4ssw\u00f6rt 10\u00b2";
    private static final String DECOMPOSED = "pa\u0308sswo\u0308rt\u00a010\u00b2";

    @TempDir
    Path home;
    private UserFile file;

    @BeforeEach
    void open() {
        file = UserFile.in(home);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SCRAM-SHA-256", "PLAIN", "LOGIN"})
    void aPasswordFitsHoweverItIsTyped(String mechanism) throws Exception {
        file.add("j\u00fcrgen", COMPOSED, List.of());
        assertThat(login(mechanism, "j\u00fcrgen", COMPOSED)).isEqualTo("j\u00fcrgen");
        assertThat(login(mechanism, "ju\u0308rgen", DECOMPOSED)).isEqualTo("j\u00fcrgen");
        assertThat(login(mechanism, "j\u00fcrgen", COMPOSED.replace('\u00b2', '2'))).startsWith("failed");
    }

    /// The line of an earlier version: NFKC, so the superscript became a plain digit.
    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "LOGIN"})
    void aPasswordThatAnEarlierVersionStoredStillFits(String mechanism) throws Exception {
        String earlier = SaslPrep.text(COMPOSED);
        assertThat(earlier).endsWith(" 102");
        writeLine(new User("alice", PasswordHash.of(earlier), Optional.of(ScramText.derive(earlier)), List.of()));
        assertThat(login(mechanism, "alice", COMPOSED)).isEqualTo("alice");
        assertThat(login(mechanism, "alice", DECOMPOSED)).isEqualTo("alice");
        assertThat(login(mechanism, "alice", COMPOSED + "x")).startsWith("failed");
        assertThat(login("SCRAM-SHA-256", "alice", earlier)).as("the form that RFC 5802 prepares").isEqualTo("alice");
    }

    @Test
    void aPasswordWithACharacterThatNoClientMaySendIsNotStored() {
        assertThatThrownBy(() -> file.add("alice", "a\u00adb", List.of())).hasMessageContaining("RFC 8265")
                .message().doesNotContain("\u00ad");
        assertThatThrownBy(() -> file.add("alice", "", List.of())).hasMessage("the password is empty");
        assertThat(file.path()).doesNotExist();
    }

    private void writeLine(User user) throws Exception {
        Files.writeString(file.path(), UserLine.of(user) + "\n");
        Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-------"));
    }

    /// @return the name of the user, or the reason why the server refused
    private String login(String mechanism, String user, String password) throws Exception {
        Sasl client = Sasl.choose(Set.of(mechanism), true, new Credentials(user, password), "nonce").orElseThrow();
        Mechanism server = new Mechanisms(Optional.of(Users.open(file, Optional.empty())), false)
                .begin(mechanism, Map.of()).orElseThrow();
        byte[] opening = server.opening();
        byte[] response = client.first().orElseGet(() -> respond(client, opening));
        while (true) {
            switch (server.respond(response)) {
                case Mechanism.Turn.Challenge(byte[] challenge) -> response = respond(client, challenge);
                case Mechanism.Turn.Proven(String name) -> {
                    assertThat(client.doubt()).isEmpty();
                    return name;
                }
                case Mechanism.Turn.Failed failed -> {
                    return "failed: " + failed.why();
                }
            }
        }
    }

    private static byte[] respond(Sasl client, byte[] challenge) {
        return ((Sasl.SaslMove.Respond) client.challenged(challenge)).words();
    }
}
