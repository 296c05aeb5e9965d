package org.slipstream.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/// The Maildirs of a server: `<domain>/<local-part>/new`. A message appears there when it is
/// complete.
public record Mailboxes(Path folder) {
    /// The messages of an address, oldest first. Empty while there is none.
    public List<String> messages(String address) {
        int at = address.lastIndexOf('@');
        Path mailbox = folder.resolve(address.substring(at + 1)).resolve(address.substring(0, at)).resolve("new");
        try (var files = Files.list(mailbox)) {
            return files.sorted().map(Mailboxes::read).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
