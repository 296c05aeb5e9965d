package org.slipstream.testkit.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A program that has run to its end, and its output. No program runs longer than a minute, unless a
/// longer time is named.
///
/// @param exit the exit code
/// @param out standard output
/// @param err standard error
public record ProgramRun(int exit, String out, String err) {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /// Runs a program without input.
    public static ProgramRun of(String... command) {
        return of(new byte[0], List.of(command));
    }

    /// Runs a program that may need more than a minute, such as one that builds an image.
    public static ProgramRun within(Duration most, String... command) {
        return within(most, new ProcessBuilder(command));
    }

    /// The same in this environment.
    public static ProgramRun within(Duration most, ProcessBuilder builder) {
        return run(new byte[0], builder, most);
    }

    /// Runs a program with this standard input.
    public static ProgramRun of(byte[] input, List<String> command) {
        return of(input, new ProcessBuilder(command));
    }

    /// Runs a program in this environment.
    public static ProgramRun of(byte[] input, ProcessBuilder builder) {
        return run(input, builder, TIMEOUT);
    }

    private static ProgramRun run(byte[] input, ProcessBuilder builder, Duration most) {
        List<String> command = builder.command();
        try {
            Process process = builder.start();
            var out = CompletableFuture.supplyAsync(() -> readAll(process.getInputStream()),
                    Thread::startVirtualThread);
            var err = CompletableFuture.supplyAsync(() -> readAll(process.getErrorStream()),
                    Thread::startVirtualThread);
            feed(process.getOutputStream(), input);
            if (!process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("still running after " + most.toSeconds() + " s: " + command + "\n"
                        + out.join() + err.join());
            }
            return new ProgramRun(process.exitValue(), out.join(), err.join());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while running " + command, e);
        }
    }

    /// @throws AssertionError when the exit code is not 0
    public ProgramRun mustSucceed() {
        if (exit != 0) {
            throw new AssertionError("exit code " + exit + "\n" + out + err);
        }
        return this;
    }

    /// A program that ends without reading its input is no error of the caller.
    private static void feed(OutputStream to, byte[] input) {
        try (to) {
            to.write(input);
        } catch (IOException e) {
            // The exit code and the output show the cause.
        }
    }

    private static String readAll(InputStream from) {
        try (from) {
            return new String(from.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
