package org.slipstream.events.account;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.WholeFiles;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The accounts on disk: a line for each. The file is written as a whole, and not on the path of mail, so a kill loses
/// the counts of the last seconds.
///
/// A line that cannot be read is told and left out; the others count.
public final class AccountFile {
    private static final Logger log = LoggerFactory.getLogger(AccountFile.class);
    /// An account with all its networks has 5 KiB; most have half of one.
    private static final int MOST_OCTETS = 100 << 20;
    private static final String BEGUN = "begun ";

    private final Path file;
    private boolean failing;

    public AccountFile(Path home) {
        file = home.resolve("accounts");
    }

    /// The accounts of the last run.
    ///
    /// @throws IOException when there is a file that cannot be read
    public AccountBook read(long nowMillis) throws IOException {
        List<String> lines;
        try {
            lines = BoundedFiles.lines(file, MOST_OCTETS);
        } catch (NoSuchFileException none) {
            return new AccountBook(nowMillis, Map.of());
        }
        Map<String, Account> accounts = new HashMap<>();
        long damaged = 0;
        for (String line : lines.subList(Math.min(1, lines.size()), lines.size())) {
            try {
                Map.Entry<String, Account> each = Account.read(line);
                accounts.put(each.getKey(), each.getValue());
            } catch (IllegalArgumentException | IndexOutOfBoundsException unreadable) {
                damaged++;
            }
        }
        Optional<Instant> begun = begun(lines);
        if (damaged > 0 || begun.isEmpty()) {
            log.warn("event=accounts-damaged file={} lines={} next=\"the others count; these begin again\"", file,
                    damaged);
        }
        return new AccountBook(begun.map(Instant::toEpochMilli).orElse(nowMillis), accounts);
    }

    private static Optional<Instant> begun(List<String> lines) {
        try {
            return lines.stream().findFirst().filter(line -> line.startsWith(BEGUN))
                    .map(line -> Instant.parse(line.substring(BEGUN.length())));
        } catch (DateTimeException no) {
            return Optional.empty();
        }
    }

    /// Writes what has changed. Called by one thread.
    public void write(AccountBook book) {
        Optional<List<String>> lines = book.news();
        if (lines.isEmpty()) {
            return;
        }
        try {
            WholeFiles.write(file, (String.join("\n", lines.get()) + "\n").getBytes(StandardCharsets.UTF_8),
                    "rw-------");
            failing = false;
        } catch (IOException | RuntimeException trouble) {
            book.notWritten();
            if (!failing) {
                log.warn("event=accounts-not-written file={} next=\"tried again; mail goes on\" error=\"{}\"", file,
                        LogText.text(FailureWords.of(trouble)));
            }
            failing = true;
        }
    }
}
