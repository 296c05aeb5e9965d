package org.slipstream.guard.login;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SrsSecretFileTest {
    @TempDir
    Path home;

    private Path write(String text, String permissions) throws Exception {
        Path file = home.resolve(SrsSecretFile.NAME);
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void theFirstUseMakesASecretThatOnlyItsOwnerReads() throws Exception {
        SrsSecretFile file = SrsSecretFile.in(home);
        assertThat(file.secrets()).as("a check makes nothing").isEmpty();
        List<String> made = file.secretsOrNew();
        assertThat(made).hasSize(1).first().asString().hasSize(32);
        assertThat(file.secretsOrNew()).isEqualTo(made);
        assertThat(Files.getPosixFilePermissions(home.resolve(SrsSecretFile.NAME)))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void aSecretIsReplacedByANewFirstLine() throws Exception {
        write("new\n\nold secret of postsrsd\n", "rw-------");
        assertThat(SrsSecretFile.in(home).secretsOrNew()).containsExactly("new", "old secret of postsrsd");
    }

    @Test
    void aFileThatOthersReadOrThatIsEmptyOrEndlessIsAMistake() throws Exception {
        write("secret\n", "rw-r-----");
        assertThatThrownBy(() -> SrsSecretFile.in(home).secrets()).hasMessageContaining("chmod 600");
        write("\n", "rw-------");
        assertThatThrownBy(() -> SrsSecretFile.in(home).secretsOrNew()).isInstanceOf(UserFileException.class);
        write("s\n".repeat(SrsSecretFile.MOST + 1), "rw-------");
        assertThatThrownBy(() -> SrsSecretFile.in(home).secrets()).hasMessageContaining("1 to 16");
        write("s".repeat(100_000), "rw-------");
        assertThatThrownBy(() -> SrsSecretFile.in(home).secrets()).isInstanceOf(java.io.IOException.class);
    }
}
