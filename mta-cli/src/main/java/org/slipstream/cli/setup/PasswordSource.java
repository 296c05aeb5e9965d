package org.slipstream.cli.setup;

import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.core.text.Controls;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads a new password: from a terminal, where it is not shown and typed twice, or from the first
/// line of standard input. Never from an argument, because all users of the machine can read the
/// list of processes.
final class PasswordSource {
    private static final int LONGEST_BYTES = 1000;

    private PasswordSource() {}

    /// @param twice at a terminal, to detect typing errors
    static String read(CliContext world, boolean twice) throws IOException {
        java.io.Console console = System.console();
        String password = world.in() == System.in && console != null && console.isTerminal()
                ? typed(console, twice)
                : firstLine(world);
        if (password.isEmpty()) {
            throw new CommandFailure(Exit.USAGE, "mta: the password is empty; type one, or give it as the first"
                    + " line of standard input");
        }
        // Java's replacement for a character that could not be decoded: with LANG=C, all beyond
        // ASCII. No client would ever send it.
        if (password.indexOf('\uFFFD') >= 0) {
            throw new CommandFailure(Exit.USAGE,
                    "mta: the terminal's character set (LANG) does not support the typed characters;"
                            + " set it to UTF-8, or give the password on standard input");
        }
        if (Controls.in(password)) {
            throw new CommandFailure(Exit.USAGE, "mta: the password contains a control character");
        }
        return password;
    }

    private static String typed(java.io.Console console, boolean twice) {
        char[] first = asked(console, "Password: ");
        if (twice && !Arrays.equals(first, asked(console, "Again: "))) {
            throw new CommandFailure(Exit.USAGE, "mta: the two passwords differ");
        }
        return new String(first);
    }

    private static char[] asked(java.io.Console console, String prompt) {
        char[] typed = console.readPassword("%s", prompt);
        return typed == null ? new char[0] : typed;
    }

    // Byte by byte, because the input after the line must stay unread.
    private static String firstLine(CliContext world) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = world.in().read(); next >= 0 && next != '\n'; next = world.in().read()) {
            line.write(next);
            if (line.size() > LONGEST_BYTES) {
                throw new CommandFailure(Exit.USAGE, "mta: a password may have at most " + LONGEST_BYTES + " bytes");
            }
        }
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line.toByteArray())).toString();
            return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        } catch (CharacterCodingException otherCharset) {
            throw new CommandFailure(Exit.USAGE, "mta: the password is not valid UTF-8", otherCharset);
        }
    }
}
