package org.slipstream.config.postfix;

import org.slipstream.core.text.Nearest;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The table of Postfix's names, which the import and `docs/from-postfix.md` share. Each name of
/// `postconf -d` has a row: its own one, or the first whose pattern fits.
public final class PostfixNames {
    /// The parameters of `main.cf`.
    public static final PostfixNames PARAMETERS = new PostfixNames("postfix-names.tsv");
    /// The words of `smtpd_recipient_restrictions` and the like.
    public static final PostfixNames RESTRICTIONS = new PostfixNames("postfix-restrictions.tsv");

    private static final String NONE = "-";
    private static final String UNNEEDED = "=";

    private final List<NameRow> rows;

    private PostfixNames(String resource) {
        try (InputStream in = Objects.requireNonNull(PostfixNames.class.getResourceAsStream(resource))) {
            rows = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
                    .filter(line -> !line.startsWith("#")).map(PostfixNames::row).toList();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /// @param pattern a name, perhaps with one `*` or more
    /// @param settings of `mta.toml`; `*` stands for names that the operator or the pattern gives
    /// @param needed false when the server does the same without a setting
    /// @param form of the value, where one line becomes one setting: `count`, `time:s`; `topic` for
    ///     the rest
    /// @param note a sentence for the operator, or empty
    public record NameRow(String pattern, List<String> settings, boolean needed, String form, String note) {
        boolean fits(String name) {
            return name.matches(pattern.replace(".", "\\.").replace("*", ".*"));
        }

        boolean isPattern() {
            return pattern.contains("*");
        }
    }

    private static NameRow row(String line) {
        String[] cells = line.split("\t", -1);
        boolean none = cells[1].equals(NONE) || cells[1].equals(UNNEEDED);
        return new NameRow(cells[0], none ? List.of() : List.of(cells[1].split(", ")), !cells[1].equals(UNNEEDED),
                cells[2],
                cells[3]);
    }

    /// In the order of the table.
    public List<NameRow> rows() {
        return rows;
    }

    /// The row of a name; empty when Postfix has no such name.
    public Optional<NameRow> find(String name) {
        return rows.stream().filter(row -> row.pattern().equals(name)).findFirst()
                .or(() -> rows.stream().filter(row -> row.isPattern() && row.fits(name)).findFirst());
    }

    /// The known name beside a mistyped one.
    Optional<String> near(String name) {
        return Nearest.to(name, rows.stream().filter(row -> !row.isPattern()).map(NameRow::pattern).toList());
    }
}
