package org.slipstream.cli.shard;

import org.slipstream.cli.frame.CliContext;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The terminal of `top`: the alternate screen, single keys without Enter, and its size. Output that
/// is no terminal gets plain frames.
///
/// The JDK cannot switch a terminal to single keys, so `stty` does it. Where there is none, `q` needs
/// Enter. The former state is restored at the end, also after Ctrl-C.
final class TopTerminal implements AutoCloseable {
    private static final String SCREEN = "\033[?1049h\033[?25l";
    private static final String SCREEN_OFF = "\033[?25h\033[?1049l";
    private static final String HOME = "\033[H";
    private static final String REST_OF_LINE_OFF = "\033[K\n";
    private static final String REST_OFF = "\033[J";
    private static final File TTY = new File("/dev/tty");

    /// Lines and columns.
    record Size(int lines, int columns) {
        private static final Size PLAIN = new Size(20 + TopFrame.HEAD_LINES + 1, Integer.MAX_VALUE);
    }

    private final PrintStream out;
    private final InputStream in;
    private final boolean live;
    private final Optional<String> former;
    private final Thread atExit = new Thread(this::restore, "top-restore");
    private boolean later;

    private TopTerminal(CliContext world, boolean live) {
        this.out = world.out();
        this.in = world.in();
        this.live = live;
        this.former = live ? stty("-g") : Optional.empty();
    }

    /// @param plain frames even if there is a terminal
    static TopTerminal of(CliContext world, boolean plain) {
        java.io.Console console = System.console();
        boolean live = !plain && world.in() == System.in && console != null && console.isTerminal();
        TopTerminal terminal = new TopTerminal(world, live);
        if (live) {
            Runtime.getRuntime().addShutdownHook(terminal.atExit);
            stty("-icanon", "-echo", "min", "0", "time", "0");
            world.out().print(SCREEN);
        }
        return terminal;
    }

    Size size() {
        if (!live) {
            return Size.PLAIN;
        }
        return stty("size").map(text -> text.split(" ")).filter(words -> words.length == 2)
                .map(words -> new Size(Integer.parseInt(words[0]), Integer.parseInt(words[1])))
                .filter(size -> size.lines() > 0 && size.columns() > 0).orElse(new Size(24, 80));
    }

    void frame(List<String> lines) {
        if (!live) {
            if (later) {
                out.println();
            }
            later = true;
            lines.forEach(out::println);
            return;
        }
        StringBuilder screen = new StringBuilder(HOME);
        lines.forEach(line -> screen.append(line).append(REST_OF_LINE_OFF));
        out.print(screen.append(REST_OFF));
        out.flush();
    }

    boolean isQuit() throws IOException {
        while (live && in.available() > 0) {
            int key = in.read();
            if (key == 'q' || key == 'Q') {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        if (live) {
            restore();
            Runtime.getRuntime().removeShutdownHook(atExit);
        }
    }

    private void restore() {
        out.print(SCREEN_OFF);
        out.flush();
        former.ifPresent(TopTerminal::stty);
    }

    private static Optional<String> stty(String... words) {
        List<String> command = new java.util.ArrayList<>(List.of("stty"));
        command.addAll(List.of(words));
        try {
            Process process = new ProcessBuilder(command).redirectInput(TTY).redirectError(
                    ProcessBuilder.Redirect.DISCARD).start();
            String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return process.waitFor(1, TimeUnit.SECONDS) && process.exitValue() == 0
                    ? Optional.of(answer)
                    : Optional.empty();
        } catch (IOException none) {
            return Optional.empty();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
