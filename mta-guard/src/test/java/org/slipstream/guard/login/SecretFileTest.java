package org.slipstream.guard.login;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SecretFileTest {
    @TempDir
    Path home;

    private Path write(String text, String permissions) throws Exception {
        Path file = home.resolve(SecretFile.SRS);
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void theFirstUseMakesASecretThatOnlyItsOwnerReads() throws Exception {
        SecretFile file = SecretFile.in(home, SecretFile.SRS);
        assertThat(file.secrets()).as("a check makes nothing").isEmpty();
        List<String> made = file.secretsOrNew();
        assertThat(made).hasSize(1).first().asString().hasSize(32);
        assertThat(file.secretsOrNew()).isEqualTo(made);
        assertThat(Files.getPosixFilePermissions(home.resolve(SecretFile.SRS)))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void aSecretIsReplacedByANewFirstLine() throws Exception {
        write("new\n\nold secret of postsrsd\n", "rw-------");
        assertThat(SecretFile.in(home, SecretFile.SRS).secretsOrNew()).containsExactly("new", "old secret of postsrsd");
    }

    @Test
    void aFileThatOthersReadOrThatIsEmptyOrEndlessIsAMistake() throws Exception {
        write("secret\n", "rw-r-----");
        assertThatThrownBy(() -> SecretFile.in(home, SecretFile.SRS).secrets()).hasMessageContaining("chmod 600");
        write("\n", "rw-------");
        assertThatThrownBy(() -> SecretFile.in(home, SecretFile.SRS).secretsOrNew())
                .isInstanceOf(UserFileException.class);
        write("s\n".repeat(SecretFile.MOST + 1), "rw-------");
        assertThatThrownBy(() -> SecretFile.in(home, SecretFile.SRS).secrets()).hasMessageContaining("1 to 16");
        write("s".repeat(100_000), "rw-------");
        assertThatThrownBy(() -> SecretFile.in(home, SecretFile.SRS).secrets()).isInstanceOf(java.io.IOException.class);
    }
}
