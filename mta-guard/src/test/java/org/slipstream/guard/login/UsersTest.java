package org.slipstream.guard.login;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.sasl.ScramKeys;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Users of a running server.
class UsersTest {
    @TempDir
    Path home;
    private UserFile file;

    @BeforeEach
    void alice() throws Exception {
        file = UserFile.in(home);
        file.add("alice", "open sesame", List.of("alice@here.example", "@lists.example"));
    }

    private Users open() throws Exception {
        return Users.open(file, Optional.of("+"));
    }

    @Test
    void theRightPasswordOfTheRightUserAndNothingElse() throws Exception {
        Users users = open();
        assertThat(users.verify("alice", "open sesame")).isTrue();
        assertThat(users.verify("alice", "Open sesame")).isFalse();
        assertThat(users.verify("Alice", "open sesame")).isFalse();
        assertThat(users.verify("bob", "open sesame")).isFalse();
    }

    @Test
    void aUserAddedRemovedOrGivenAnotherPasswordIsKnownAtTheNextLogin() throws Exception {
        Users users = open();
        file.add("bob", "first", List.of());
        assertThat(users.verify("bob", "first")).isTrue();
        file.changePassword("bob", "second");
        assertThat(users.verify("bob", "first")).isFalse();
        assertThat(users.verify("bob", "second")).isTrue();
        file.remove("bob");
        assertThat(users.verify("bob", "second")).isFalse();
    }

    @Test
    void aHalfWrittenFileLocksNoUserOut() throws Exception {
        Users users = open();
        String whole = Files.readString(file.path());
        Files.writeString(file.path(), whole + "bob $argon2id$v=19");
        assertThat(users.verify("alice", "open sesame")).isTrue();
        assertThatThrownBy(this::open).as("but no start accepts it").hasMessageStartingWith("users:3: ");
        Files.delete(file.path());
        assertThat(users.verify("alice", "open sesame")).as("a file that is gone is an operator's word").isFalse();
    }

    @Test
    void aServerDoesNotStartWithAFileThatOthersMayRead() throws Exception {
        Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(this::open).hasMessageContaining("chmod 600").message().doesNotContain("\n");
    }

    @Test
    void scramHasTheKeysOfThePassword() throws Exception {
        ScramKeys keys = open().scram("alice").orElseThrow();
        assertThat(ScramKeys.derive("open sesame", keys.salt(), keys.iterations())).isEqualTo(keys);
    }

    @Test
    void scramDoesNotDiscloseWhichUsersExist() throws Exception {
        Users users = open();
        ScramKeys known = users.scram("alice").orElseThrow();
        ScramKeys unknown = users.scram("bob").orElseThrow();
        assertThat(unknown.iterations()).isEqualTo(known.iterations());
        assertThat(unknown.salt()).hasSameSizeAs(known.salt()).isNotEqualTo(known.salt());
        assertThat(users.scram("bob").orElseThrow()).as("the same at each try").isEqualTo(unknown);
        assertThat(users.scram("carl").orElseThrow().salt()).isNotEqualTo(unknown.salt());
    }

    @Test
    void scramIsAnnouncedWhenItWorksForEverybody() throws Exception {
        assertThat(open().hasScramKeys()).isTrue();
        String[] words = Files.readAllLines(file.path()).get(1).split(" ");
        Files.writeString(file.path(), Files.readString(file.path()) + "bob " + words[1] + " - -\n");
        assertThat(open().hasScramKeys()).isFalse();
        assertThat(open().verify("bob", "open sesame")).isTrue();
    }

    @Test
    void aUserSendsInTheNameOfHisOwnAddresses() throws Exception {
        Users users = open();
        assertThat(
                Stream.of("alice@here.example", "Alice@HERE.example", "alice+shop@here.example", "any@lists.example"))
                .allMatch(mine -> users.owns("alice", Address.of(mine)));
        assertThat(
                Stream.of("bob@here.example", "alice@there.example", "any@sub.lists.example", "alice-x@here.example"))
                .noneMatch(foreign -> users.owns("alice", Address.of(foreign)));
        assertThat(users.owns("bob", Address.of("alice@here.example"))).isFalse();
    }

    /// A hash that another program made: the reference implementation's, of "password" with the
    /// salt "somesalt".
    @Test
    void hashesOfTheReferenceImplementationAreRead() {
        PasswordHash hash = PasswordHash.parse("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ"
                + "$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc").orElseThrow();
        assertThat(hash.fits("password")).isTrue();
        assertThat(hash.fits("Password")).isFalse();
        assertThat(hash.text()).isEqualTo("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ"
                + "$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc");
    }
}
