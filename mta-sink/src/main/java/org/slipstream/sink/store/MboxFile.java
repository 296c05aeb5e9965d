package org.slipstream.sink.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// A file in the format mboxrd: lines that begin with `From `, with any number of `>` before it, get
/// one `>` more, so the reader can take it away again (RFC 4155 names the family).
public final class MboxFile implements MailFiles {
    private static final DateTimeFormatter DATE = DateTimeFormatter
            .ofPattern("EEE MMM d HH:mm:ss yyyy", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Path file;

    public MboxFile(Path file) throws IOException {
        this.file = file;
        if (file.toAbsolutePath().getParent() != null) {
            Files.createDirectories(file.toAbsolutePath().getParent());
        }
        Files.write(file, new byte[0], StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Override
    public synchronized void write(CaughtMessage message) throws IOException {
        Files.write(file, entry(message), StandardOpenOption.APPEND);
    }

    static byte[] entry(CaughtMessage message) {
        byte[] text = MaildirFiles.withEnvelope(message);
        ByteArrayOutputStream entry = new ByteArrayOutputStream(text.length + 100);
        String sender = message.sender().isEmpty() ? "MAILER-DAEMON" : message.sender().replace(' ', '_');
        entry.writeBytes(("From " + sender + " " + DATE.format(message.at()) + "\n")
                .getBytes(StandardCharsets.UTF_8));
        for (int at = 0; at < text.length;) {
            int end = at;
            while (end < text.length && text[end] != '\n') {
                end++;
            }
            int length = end > at && text[end - 1] == '\r' ? end - at - 1 : end - at;
            if (isFromLine(text, at, length)) {
                entry.write('>');
            }
            entry.write(text, at, length);
            entry.write('\n');
            at = end + 1;
        }
        entry.write('\n');
        return entry.toByteArray();
    }

    private static boolean isFromLine(byte[] text, int from, int length) {
        int at = from;
        while (at < from + length && text[at] == '>') {
            at++;
        }
        return from + length - at >= 5
                && new String(text, at, 5, StandardCharsets.ISO_8859_1).equals("From ");
    }
}
