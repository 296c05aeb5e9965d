package org.slipstream.sink.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/// A Maildir. A file appears in `new` by a rename, so a reader never sees a part of it.
public final class MaildirFiles implements MailFiles {
    private final Path folder;
    private final String host;
    private final AtomicLong number = new AtomicLong();

    public MaildirFiles(Path folder) throws IOException {
        this.folder = folder;
        for (String part : new String[]{"tmp", "new", "cur"}) {
            Files.createDirectories(folder.resolve(part));
        }
        host = InetAddress.getLoopbackAddress().getHostName().replace('/', '_').replace(':', '_');
    }

    @Override
    public void write(CaughtMessage message) throws IOException {
        String name = message.at().getEpochSecond() + ".M" + message.at().getNano() / 1_000 + "P"
                + ProcessHandle.current().pid() + "Q" + number.incrementAndGet() + "." + host;
        Path draft = folder.resolve("tmp").resolve(name);
        Files.write(draft, withEnvelope(message));
        Files.move(draft, folder.resolve("new").resolve(name));
    }

    /// The envelope as mail servers write it at the final delivery (RFC 5321 section 4.4).
    static byte[] withEnvelope(CaughtMessage message) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(message.content().length + 200);
        all.writeBytes(("Return-Path: <" + message.sender() + ">\r\n").getBytes(StandardCharsets.UTF_8));
        message.recipients().forEach(each -> all
                .writeBytes(("X-Original-To: " + each + "\r\n").getBytes(StandardCharsets.UTF_8)));
        all.writeBytes(message.content());
        return all.toByteArray();
    }
}
