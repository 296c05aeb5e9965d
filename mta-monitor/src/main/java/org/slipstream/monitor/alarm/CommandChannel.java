package org.slipstream.monitor.alarm;

import org.slipstream.core.LogText;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Starts a program for each notice. The program gets no argument and a fixed environment; texts, some of
/// which other hosts wrote, come on its standard input only, as JSON, so no shell reads them.
///
/// It has [#MOST_TIME], then it is killed with its children. Of its output the first [#MOST_OUTPUT] octets
/// are kept for the log, and the rest is read and forgotten.
final class CommandChannel implements AlarmChannel {
    static final Duration MOST_TIME = Duration.ofSeconds(30);
    static final int MOST_OUTPUT = 500;
    private static final int PIECE = 8_192;
    private static final long LOOK_MILLIS = 50;

    private final Path command;
    private final String hostname;
    private final Duration mostTime;

    CommandChannel(Path command, String hostname) {
        this(command, hostname, MOST_TIME);
    }

    CommandChannel(Path command, String hostname, Duration mostTime) {
        this.command = command;
        this.hostname = hostname;
        this.mostTime = mostTime;
    }

    @Override
    public String name() {
        return "command";
    }

    @Override
    public void send(AlarmNotice notice) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command.toString()).directory(Path.of("/").toFile())
                .redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.put("LANG", "C.UTF-8");
        environment.put("MTA_ALARM_STATE", notice.kind().word());
        environment.put("MTA_ALARM_WHAT", notice.cause().what());
        Process process = builder.start();
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        try {
            give(process, notice.json(hostname));
            long end = System.nanoTime() + mostTime.toNanos();
            while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                drain(process.getInputStream(), kept);
                if (System.nanoTime() - end > 0) {
                    throw new IOException("it did not end within " + mostTime.toSeconds() + " s" + words(kept));
                }
            }
            drain(process.getInputStream(), kept);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new IOException("it ended with " + process.exitValue() + words(kept));
        }
    }

    /// The text fits into the pipe, so a program that reads nothing does not block it.
    private static void give(Process process, byte[] text) {
        try (OutputStream in = process.getOutputStream()) {
            in.write(text);
        } catch (IOException closed) {
            // A program that does not read its input may still do its work; its exit code decides.
        }
    }

    /// Reads what is there, and never waits: a child that outlives the program may keep the pipe open.
    private static void drain(InputStream from, ByteArrayOutputStream kept) throws IOException {
        byte[] piece = new byte[PIECE];
        while (from.available() > 0) {
            int count = from.read(piece, 0, Math.min(piece.length, from.available()));
            kept.write(piece, 0, Math.clamp(MOST_OUTPUT - (long) kept.size(), 0, Math.max(0, count)));
        }
    }

    private static String words(ByteArrayOutputStream kept) {
        String output = LogText.text(kept.toString(StandardCharsets.UTF_8).strip());
        return output.isEmpty() ? "" : ": " + output;
    }
}
