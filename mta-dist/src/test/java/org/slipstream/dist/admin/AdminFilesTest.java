package org.slipstream.dist.admin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import static org.assertj.core.api.Assertions.assertThat;

class AdminFilesTest {
    @TempDir
    Path home;

    @Test
    void theCommandLineFindsWhatTheServerLeft() throws IOException {
        assertThat(AdminFiles.read(home)).isEmpty();
        String token = AdminFiles.write(home, 40123);
        assertThat(AdminFiles.read(home)).hasValue(new AdminFiles.Door(40123, token));
        AdminFiles.remove(home);
        assertThat(AdminFiles.read(home)).isEmpty();
        AdminFiles.remove(home);
    }

    @Test
    void theTokenIsLongAndNewEachTime() throws IOException {
        String first = AdminFiles.write(home, 1);
        assertThat(first).matches("[0-9a-f]{64}");
        assertThat(AdminFiles.write(home, 1)).isNotEqualTo(first);
    }

    @Test
    void onlyTheOwnerCanReadThem() throws IOException {
        Files.createDirectory(home.resolve("run"));
        Files.setPosixFilePermissions(home.resolve("run"), PosixFilePermissions.fromString("rwxrwxrwx"));
        AdminFiles.write(home, 40123);
        assertThat(mode("run")).isEqualTo("rwx------");
        assertThat(mode("run/admin.token")).isEqualTo("rw-------");
    }

    @Test
    void halfWrittenOrForeignFilesAreNoServer() throws IOException {
        AdminFiles.write(home, 40123);
        Files.writeString(home.resolve("run/admin.port"), "not a port");
        assertThat(AdminFiles.read(home)).isEmpty();
        Files.writeString(home.resolve("run/admin.port"), "40123");
        Files.writeString(home.resolve("run/admin.token"), "\n");
        assertThat(AdminFiles.read(home)).isEmpty();
    }

    private String mode(String file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve(file)));
    }
}
