package org.slipstream.smtpout;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.ContentSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// A content with facts that lies in the middle of an array or of a file, and counts how often it
/// is read.
public final class StoredContent implements Content {
    private static final String BEFORE = "before\r\n.\r\n";
    private static final String BEHIND = ".\r\nbehind";

    private final byte[] bytes;
    private final Optional<ContentFacts> facts;
    private final Optional<Path> file;
    private final byte[] around;
    private int opened;

    private StoredContent(String content, Optional<ContentFacts> facts, Optional<Path> file) {
        this.bytes = content.getBytes(StandardCharsets.ISO_8859_1);
        this.facts = facts;
        this.file = file;
        this.around = (BEFORE + content + BEHIND).getBytes(StandardCharsets.ISO_8859_1);
    }

    /// Without facts.
    public static StoredContent unknown(String content) {
        return new StoredContent(content, Optional.empty(), Optional.empty());
    }

    public static StoredContent inMemory(String content) {
        return new StoredContent(content, facts(content), Optional.empty());
    }

    public static StoredContent inFile(String content, Path file) throws IOException {
        StoredContent message = new StoredContent(content, facts(content), Optional.of(file));
        Files.write(file, message.around);
        return message;
    }

    private static Optional<ContentFacts> facts(String content) {
        return ContentFacts.of(content.getBytes(StandardCharsets.ISO_8859_1));
    }

    public int opened() {
        return opened;
    }

    @Override
    public long sizeBytes() {
        return bytes.length;
    }

    @Override
    public InputStream open() {
        opened++;
        return new ByteArrayInputStream(bytes);
    }

    @Override
    public Optional<ContentFacts> facts() {
        return facts;
    }

    @Override
    public Optional<ContentSource> source() throws IOException {
        return Optional.of(file.isPresent()
                ? new ContentSource.InFile(FileChannel.open(file.get()), BEFORE.length(), bytes.length)
                : new ContentSource.InMemory(around, BEFORE.length(), bytes.length));
    }
}
