package org.slipstream.testkit.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A program that has run to its end, and its output. No program runs longer than some minutes: on a
/// machine with other work, the story of the package takes more than one.
///
/// @param exit the exit code
/// @param out standard output
/// @param err standard error
public record ProgramRun(int exit, String out, String err) {
    private static final int TIMEOUT_SECONDS = 240;

    /// Runs a program without input.
    public static ProgramRun of(String... command) {
        return of(new byte[0], List.of(command));
    }

    /// Runs a program with this standard input.
    public static ProgramRun of(byte[] input, List<String> command) {
        return of(input, new ProcessBuilder(command));
    }

    /// Runs a program in this environment.
    public static ProgramRun of(byte[] input, ProcessBuilder builder) {
        List<String> command = builder.command();
        try {
            Process process = builder.start();
            var out = CompletableFuture.supplyAsync(() -> readAll(process.getInputStream()),
                    Thread::startVirtualThread);
            var err = CompletableFuture.supplyAsync(() -> readAll(process.getErrorStream()),
                    Thread::startVirtualThread);
            feed(process.getOutputStream(), input);
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("still running after " + TIMEOUT_SECONDS + " s: " + command + "\n"
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
