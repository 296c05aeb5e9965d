package org.slipstream.config.postfix;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/// The people among the users of a system, who have mailboxes in a Postfix without other settings.
public final class SystemUsers {
    private static final int FIRST = 1_000;
    private static final int LAST = 59_999;

    private SystemUsers() {}

    /// Those people, and `root`, to whom aliases lead.
    ///
    /// @param passwd in the form of `/etc/passwd`; people have the numbers 1000 to 59999 (Debian
    ///     policy, section 9.2.2)
    public static List<String> names(Path passwd) throws IOException {
        try {
            return Files.readAllLines(passwd, StandardCharsets.UTF_8).stream().map(line -> line.split(":"))
                    .filter(fields -> fields.length > 2 && fields[2].matches("[0-9]{1,9}")
                            && isMailbox(Integer.parseInt(fields[2])))
                    .map(fields -> fields[0]).toList();
        } catch (NoSuchFileException none) {
            throw new IOException("there is no file " + passwd, none);
        }
    }

    private static boolean isMailbox(int user) {
        return user == 0 || user >= FIRST && user <= LAST;
    }
}
