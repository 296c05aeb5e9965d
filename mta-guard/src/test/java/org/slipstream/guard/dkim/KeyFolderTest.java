package org.slipstream.guard.dkim;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.auth.dkim.KeyName;
import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.guard.dkim.KeyFolder.StoredKey;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.slipstream.auth.dkim.DkimAlgorithm.ED25519;
import static org.slipstream.auth.dkim.DkimAlgorithm.RSA;

class KeyFolderTest {
    private static final Instant DAY = Instant.parse("2026-11-27T03:00:00Z");

    @TempDir
    Path home;
    private Path folder;
    private KeyFolder keys;

    @BeforeEach
    void begin() {
        folder = home.resolve("dkim");
        keys = new KeyFolder(folder);
    }

    private static KeyName name(String domain, String selector) {
        return KeyName.of(domain, selector).orElseThrow();
    }

    private List<String> signingFor(String domain) throws IOException {
        return keys.signing().of(domain).stream().map(key -> key.name().dns()).toList();
    }

    @Test
    void noFolderHasNoKeys() throws IOException {
        assertThat(keys.keys()).isEmpty();
        assertThat(signingFor("example.org")).isEmpty();
    }

    @Test
    void aNewKeySignsAfterItsRotationAndTheOldOneRetires() throws IOException {
        keys.create("example.org", ED25519, DAY);
        keys.create("example.org", RSA, DAY);
        assertThat(signingFor("example.org")).as("its record is not yet in DNS").isEmpty();
        assertThat(keys.rotate("example.org", DAY)).extracting(StoredKey::state)
                .containsExactly(KeyState.ACTIVE, KeyState.ACTIVE);
        Instant later = DAY.plusSeconds(86_400);
        keys.create("example.org", ED25519, later);
        keys.create("example.org", ED25519, later);
        assertThat(keys.rotate("example.org", later)).extracting(stored -> stored.key().name().selector(),
                StoredKey::state)
                .containsExactly(tuple("e20261128", KeyState.ACTIVE), tuple("e20261128b", KeyState.ACTIVE),
                        tuple("e20261127", KeyState.RETIRED));
        assertThat(signingFor("example.org")).containsExactlyInAnyOrder("r20261127._domainkey.example.org",
                "e20261128._domainkey.example.org", "e20261128b._domainkey.example.org");
        assertThat(keys.rotate("example.org", later)).as("no new key, no change").isEmpty();
        assertThat(keys.keys("example.org")).extracting(StoredKey::since).containsExactly(DAY, later, later, later);
        keys.remove(name("example.org", "e20261127"));
        assertThat(keys.keys()).hasSize(3);
    }

    @Test
    void filesAreTheOwnersAlone() throws IOException {
        keys.create(name("example.org", "s1"), ED25519, DAY);
        Path file = folder.resolve("example.org/s1.new");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
        assertThat(Files.list(file.getParent())).as("no temporary file is left").containsExactly(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(keys.keys()).as("a group may read it").hasSize(1);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw----r--"));
        assertThatThrownBy(keys::keys).isInstanceOf(FileSystemException.class).hasMessageContaining(file.toString())
                .hasMessageContaining("other users may read or write this private key");
    }

    @Test
    void statesComeInTheirOrderOnly() throws IOException {
        KeyName name = name("example.org", "s1");
        keys.create(name, ED25519, DAY);
        assertThatThrownBy(() -> keys.create(name, RSA, DAY)).isInstanceOf(FileAlreadyExistsException.class);
        keys.move(name, KeyState.ACTIVE, DAY);
        assertThatThrownBy(() -> keys.move(name, KeyState.ACTIVE, DAY)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> keys.remove(name)).as("it signs").isInstanceOf(NoSuchFileException.class);
        keys.move(name, KeyState.RETIRED, DAY);
        assertThatThrownBy(() -> keys.move(name, KeyState.ACTIVE, DAY)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> keys.create(name, RSA, DAY)).as("its record may be cached")
                .isInstanceOf(FileAlreadyExistsException.class);
        keys.remove(name);
        assertThat(keys.keys()).isEmpty();
    }

    @Test
    void aDomainWithoutKeysIsSignedByItsParentWhereThatIsWanted() throws IOException {
        keys.create("example.org", ED25519, DAY);
        keys.create("sub.example.org", ED25519, DAY);
        keys.rotate("example.org", DAY);
        assertThat(signingFor("EXAMPLE.org.")).containsExactly("e20261127._domainkey.example.org");
        assertThat(signingFor("a.news.example.org")).containsExactly("e20261127._domainkey.example.org");
        assertThat(signingFor("sub.example.org")).as("its own key does not sign yet")
                .containsExactly("e20261127._domainkey.example.org");
        keys.rotate("sub.example.org", DAY);
        assertThat(signingFor("a.sub.example.org")).containsExactly("e20261127._domainkey.sub.example.org");
        assertThat(signingFor("badexample.org")).isEmpty();
        assertThat(signingFor("not a name")).isEmpty();
    }

    @Test
    void aKeyFromElsewhereThatIsCopiedInSigns() throws IOException {
        Path file = Files.createDirectories(folder.resolve("example.org")).resolve("mail.2020.pem");
        Files.writeString(file, SigningKey.create(name("x.example", "x"), RSA).pem());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(file.resolveSibling("mail.txt"), "the record");
        Files.writeString(file.resolveSibling(".hidden.pem"), "");
        assertThat(signingFor("example.org")).containsExactly("mail.2020._domainkey.example.org");
    }

    @Test
    void filesThatAreNoKeysAreNamed() throws IOException {
        Path file = Files.createDirectories(folder.resolve("example.org")).resolve("s1.pem");
        Files.writeString(file, "nothing");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(keys::signing).isInstanceOf(FileSystemException.class)
                .hasMessageContaining(file + ": there is no \"BEGIN PRIVATE KEY\"");
        Files.write(file, new byte[5 << 20]);
        assertThatThrownBy(keys::signing).hasMessageContaining(file + ": larger than 4 MiB");
        Files.delete(file);
        Files.createDirectory(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        assertThatThrownBy(keys::signing).hasMessageContaining(file + ": Is a directory");
        Files.delete(file);
        Files.createFile(file.resolveSibling("a b.pem"));
        assertThatThrownBy(keys::signing)
                .hasMessageContaining("example.org/a b: a domain and its selector have letters");
        Files.delete(file.resolveSibling("a b.pem"));
        Files.createDirectory(folder.resolve("Example.net"));
        assertThatThrownBy(keys::signing).hasMessageContaining("not a domain in small letters");
    }

    @Test
    void namesCannotLeaveTheFolder() {
        for (String evil : List.of("..", "../x", "/etc", "a/b", "", ".", "a\u0000b", "x".repeat(300), "a\nb")) {
            assertThat(KeyName.of(evil, "s")).as(evil).isEmpty();
            assertThat(KeyName.of("example.org", evil)).as(evil).isEmpty();
            assertThatThrownBy(() -> keys.keys(evil)).isInstanceOf(FileSystemException.class);
            assertThatThrownBy(() -> keys.create(evil, ED25519, DAY)).isInstanceOf(FileSystemException.class);
        }
        assertThat(KeyName.of("a".repeat(60) + ".example", "b".repeat(60))).isPresent();
        assertThat(KeyName.of(("a".repeat(60) + ".").repeat(4), "b")).as("together too long").isEmpty();
    }

    @Test
    void numbersAreBounded() throws IOException {
        for (int i = 0; i < KeyFolder.MOST_KEYS; i++) {
            keys.create(name("example.org", "s" + i), ED25519, DAY);
        }
        assertThatThrownBy(() -> keys.create("example.org", ED25519, DAY)).hasMessageContaining("at most 32 keys");
        Files.createFile(folder.resolve("example.org/one-more"));
        assertThatThrownBy(keys::keys).hasMessageContaining("more than 32 entries");
    }
}
