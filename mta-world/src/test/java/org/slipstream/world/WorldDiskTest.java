package org.slipstream.world;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/// A cut of the power on the disk of a world.
class WorldDiskTest {
    @TempDir
    Path folder;

    @Test
    void syncedWritesSurviveAndOthersMayNot() throws IOException {
        Set<String> after = new HashSet<>();
        for (long seed = 0; seed < 40; seed++) {
            Path root = Files.createDirectories(folder.resolve("s" + seed));
            WorldDisk disk = new WorldDisk(root, folder, new WorldScheduler(seed));
            Path file = root.resolve("file");
            write(disk, file, "synced.", 0);
            disk.sync(file.toString());
            write(disk, file, "later.", 7);
            write(disk, file, "LAST", 0);
            disk.cut();
            after.add(Files.readString(file));
        }
        assertThat(after).contains("synced.").contains("LASTed.later.", "synced.later.")
                .allSatisfy(text -> assertThat(text.substring(4)).startsWith("ed."));
    }

    @Test
    void aNameIsDurableWhenItsFolderIsSynced() throws IOException {
        Set<String> after = new HashSet<>();
        for (long seed = 0; seed < 40; seed++) {
            Path root = Files.createDirectories(folder.resolve("n" + seed));
            WorldDisk disk = new WorldDisk(root, folder, new WorldScheduler(seed));
            Path first = made(disk, root.resolve("first"));
            disk.sync(root.toString());
            Path second = root.resolve("second");
            disk.move(first.toString(), second.toString());
            Files.move(first, second);
            made(disk, root.resolve("third"));
            disk.cut();
            after.add((Files.exists(first) ? "first " : "") + (Files.exists(second) ? "second " : "")
                    + (Files.exists(root.resolve("third")) ? "third" : ""));
        }
        assertThat(after).containsExactlyInAnyOrder("first ", "second ", "second third");
    }

    @Test
    void anAimedEventComesWithItsAccess() throws IOException {
        WorldScheduler scheduler = new WorldScheduler(1);
        WorldDisk disk = new WorldDisk(folder, folder, scheduler);
        Path file = folder.resolve("file");
        List<String> seen = new ArrayList<>();
        disk.aim(() -> seen.add("event"), 3);
        for (String part : List.of("1", "2", "3", "4")) {
            write(disk, file, part, 0);
            while (scheduler.step(scheduler.now())) {
                // The event, if its access has come.
            }
            seen.add(part);
        }
        assertThat(seen).containsExactly("1", "2", "event", "3", "4");
    }

    private static Path made(WorldDisk disk, Path file) throws IOException {
        disk.open(file.toString(), true, false);
        return Files.createFile(file);
    }

    private static void write(WorldDisk disk, Path file, String text, long position) throws IOException {
        if (Files.notExists(file)) {
            Files.createFile(file);
        }
        ByteBuffer octets = ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        disk.write(file.toString(), octets, position);
        try (var channel = java.nio.channels.FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(octets, position);
        }
    }
}
