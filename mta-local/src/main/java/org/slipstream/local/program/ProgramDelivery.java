package org.slipstream.local.program;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Content;
import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.text.Controls;
import org.slipstream.local.program.ProgramArguments.PipedMail;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Delivers a message to a program of this machine, which gets it on its standard input. Its exit code is the
/// outcome ([ExitCode]).
///
/// **What a sender can choose** reaches the program only as the message and as single arguments
/// ([ProgramArguments]): no shell reads it, and its environment is fixed. The program has a time, and of its output the
/// first [#MOST_OUTPUT] octets are kept; the rest is read and forgotten.
///
/// **The message is a file without a name**, so a program that does not read it blocks nothing, and one that reads it
/// twice can. Its lines end with LF, as programs of Unix expect, and `Return-Path` stands on top (RFC 5321 section
/// 4.4).
///
/// A program that cannot be started is a local trouble, never the sender's fault. Blocking; used by many threads at
/// once, which must not be interrupted.
///
/// Source: the shape of Postfix's `pipe`.
public final class ProgramDelivery {
    private static final Logger log = LoggerFactory.getLogger(ProgramDelivery.class);
    static final int MOST_OUTPUT = 4_096;
    private static final int MOST_SHOWN = 300;
    /// Below the limit of Linux for one argument (128 KiB), so none of them reaches it.
    static final int MOST_ARGUMENTS = 120_000;
    private static final long LOOK_MILLIS = 50;
    private static final int PIECE = 8_192;
    private static final int KILLED = 128;
    private static final String FAILED = "5.3.0";
    private static final String FOR_A_WHILE = "4.3.0";

    private final Path folder;
    private final BooleanSupplier stops;

    /// @param folder for the messages that programs read; created when missing, and emptied by [#sweep]
    /// @param stops true when the server stops: programs that still run are killed, and their mail is tried again
    public ProgramDelivery(Path folder, BooleanSupplier stops) {
        this.folder = folder;
        this.stops = stops;
    }

    /// The result of a delivery, the same for all its recipients.
    public sealed interface PipeResult {
        record Decided(Outcome outcome) implements PipeResult {}

        /// The message cannot be read. The program was not started.
        record Unreadable(IOException cause) implements PipeResult {}

        /// The addresses of this message cannot be passed to a program. Other mail of the transport is not concerned.
        record NotPassed(Reply reason) implements PipeResult {}

        /// No program can be started, or there is no room for its input.
        record NotStarted(Reply reason) implements PipeResult {}
    }

    /// Deletes what a kill left in the folder.
    public static void sweep(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException | NotDirectoryException none) {
            // No program has had mail yet.
        } catch (IOException left) {
            log.warn("event=folder-not-read file={} error=\"{}\"", folder, FailureWords.of(left));
        }
    }

    /// @param transport its name
    public PipeResult deliver(String transport, PipeSettings settings, PipedMail mail, Content content) {
        ProgramArguments arguments = ProgramArguments.of(settings.command(), mail);
        if (arguments.refusal().isPresent()) {
            return decided(Reply.of(553, "5.1.3", "an address that begins with - is not passed to a program"),
                    transport);
        }
        Optional<Reply> unfit = unfit(arguments.arguments());
        if (unfit.isPresent()) {
            return new PipeResult.NotPassed(unfit.get());
        }
        Optional<String> trouble = ProgramUser.trouble(settings.user());
        if (trouble.isPresent()) {
            return notStarted(transport, new IOException(trouble.get()));
        }
        Path input;
        try {
            Files.createDirectories(folder);
            input = Files.createTempFile(folder, mail.id() + "-", "");
        } catch (IOException noRoom) {
            return notStarted(transport, noRoom);
        }
        try {
            Optional<IOException> unreadable = write(input, mail, content);
            if (unreadable.isPresent()) {
                return new PipeResult.Unreadable(unreadable.get());
            }
            Process process = start(settings, arguments.arguments(), input);
            Files.delete(input);
            return end(process, settings, transport);
        } catch (IOException failed) {
            return notStarted(transport, failed);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return new PipeResult.NotStarted(Reply.of(451, FOR_A_WHILE, "the server stops"));
        } finally {
            deleteQuietly(input);
        }
    }

    private static PipeResult notStarted(String transport, IOException cause) {
        String words = FailureWords.of(cause);
        log.warn("event=program-not-started transport={} error=\"{}\"", transport, LogText.text(words));
        return new PipeResult.NotStarted(Reply.of(451, FOR_A_WHILE,
                "the program of the transport " + transport + " cannot be started: " + shown(words)));
    }

    /// A process started in an ASCII locale would get `?` for other characters, and with it mail for another person.
    private static Optional<Reply> unfit(List<String> arguments) {
        long octets = arguments.stream().mapToLong(each -> each.getBytes(StandardCharsets.UTF_8).length + 1L).sum();
        if (octets > MOST_ARGUMENTS) {
            return Optional.of(Reply.of(451, FOR_A_WHILE, "the arguments of the program would have " + octets
                    + " octets, and " + MOST_ARGUMENTS
                    + " are possible; lower recipients-per-delivery of the transport"));
        }
        Charset charset = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
        return arguments.stream().allMatch(charset.newEncoder()::canEncode)
                ? Optional.empty()
                : Optional.of(Reply.of(451, FOR_A_WHILE, "the server runs in the locale of " + charset
                        + ", which has no such address; start it with LC_ALL=C.UTF-8"));
    }

    /// A failure of the spool is in the result; one of the folder is thrown.
    private static Optional<IOException> write(Path input, PipedMail mail, Content content) throws IOException {
        InputStream in;
        try {
            in = content.open();
        } catch (IOException unreadable) {
            return Optional.of(unreadable);
        }
        try (InputStream lines = new BufferedInputStream(in);
                OutputStream out = new BufferedOutputStream(Files.newOutputStream(input), PIECE)) {
            String sender = mail.envelope().sender().map(Object::toString).orElse("");
            out.write(("Return-Path: <" + sender + ">\n").getBytes(StandardCharsets.UTF_8));
            long octets = 0;
            int before = -1;
            while (true) {
                int octet;
                try {
                    octet = lines.read();
                } catch (IOException unreadable) {
                    return Optional.of(unreadable);
                }
                if (before == '\r' && octet != '\n') {
                    out.write(before);
                }
                if (octet < 0) {
                    return octets == content.sizeBytes()
                            ? Optional.empty()
                            : Optional.of(new IOException("the message has " + octets + " octets, expected are "
                                    + content.sizeBytes()));
                }
                octets++;
                if (octet != '\r') {
                    out.write(octet);
                }
                before = octet;
            }
        }
    }

    private static Process start(PipeSettings settings, List<String> arguments, Path input) throws IOException {
        List<String> words = new ArrayList<>(ProgramUser.prefix(settings.user()));
        words.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(words).directory(Path.of("/").toFile()).redirectErrorStream(true)
                .redirectInput(input.toFile());
        Map<String, String> environment = builder.environment();
        Optional<String> zone = Optional.ofNullable(environment.get("TZ"));
        environment.clear();
        environment.put("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.put("LANG", "C.UTF-8");
        zone.ifPresent(name -> environment.put("TZ", name));
        return builder.start();
    }

    private PipeResult end(Process process, PipeSettings settings, String transport)
            throws IOException, InterruptedException {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        try {
            long end = System.nanoTime() + settings.timeLimit().toNanos();
            while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                drain(process.getInputStream(), kept);
                if (System.nanoTime() - end > 0) {
                    return decided(Reply.of(451, FOR_A_WHILE, "the program was killed: it did not end within "
                            + settings.timeLimit().toSeconds() + " s" + words(kept)), transport);
                }
                if (stops.getAsBoolean()) {
                    return decided(Reply.of(451, FOR_A_WHILE, "the program was killed: the server stops"), transport);
                }
            }
            drain(process.getInputStream(), kept);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return ProgramUser.isNotStarted(settings.user(), process.exitValue(), output(kept))
                ? notStarted(transport, new IOException(shown(output(kept))))
                : decided(reply(process.exitValue(), kept), transport);
    }

    private static PipeResult decided(Reply reply, String transport) {
        return new PipeResult.Decided(Outcome.of(reply, "pipe:" + transport));
    }

    /// Reads what is there, and never waits: a child that outlives the program may keep the pipe open.
    private static void drain(InputStream from, ByteArrayOutputStream kept) throws IOException {
        byte[] piece = new byte[PIECE];
        while (from.available() > 0) {
            int count = from.read(piece, 0, Math.min(piece.length, from.available()));
            kept.write(piece, 0, Math.clamp(MOST_OUTPUT - (long) kept.size(), 0, Math.max(0, count)));
        }
    }

    private static Reply reply(int exit, ByteArrayOutputStream kept) {
        if (exit == 0) {
            return Reply.of(250, "2.0.0", "delivered to a program");
        }
        if (exit > KILLED) {
            return Reply.of(451, FOR_A_WHILE,
                    "the program was ended by the signal " + (exit - KILLED) + words(kept));
        }
        String output = output(kept);
        int blank = output.indexOf(' ');
        Optional<EnhancedStatus> own = EnhancedStatus.parse(blank < 0 ? output : output.substring(0, blank));
        if (own.isPresent() && !output.startsWith("2")) {
            return failed(own.get().toString(), blank < 0 ? output : shown(output.substring(blank + 1)));
        }
        Optional<ExitCode> code = ExitCode.of(exit);
        return failed(code.map(ExitCode::status).orElse(FAILED), "the program ended with " + exit
                + code.map(each -> ", " + each.words()).orElse("") + words(kept));
    }

    private static Reply failed(String status, String text) {
        return Reply.of(status.startsWith("4") ? 451 : 550, status, text);
    }

    private static String output(ByteArrayOutputStream kept) {
        return Controls.onOneLine(kept.toString(StandardCharsets.UTF_8)).strip();
    }

    private static String words(ByteArrayOutputStream kept) {
        String output = output(kept);
        return output.isEmpty() ? "" : ": " + shown(output);
    }

    private static String shown(String text) {
        String line = Controls.onOneLine(text).strip();
        return line.length() <= MOST_SHOWN ? line : line.substring(0, MOST_SHOWN) + " …";
    }

    private static void deleteQuietly(Path input) {
        try {
            Files.deleteIfExists(input);
        } catch (IOException left) {
            log.debug("{} stays", input, left);
        }
    }
}
