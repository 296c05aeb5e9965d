package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Reply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import static org.assertj.core.api.Assertions.assertThat;

/// The page on security adds up what clients and peers can fill, and its bounds of peers are those
/// of the code and of the settings.
class SecurityPageTest {
    private static final Path DOCS = Path.of("../docs");
    private static final long KIBI = 1 << 10;
    private static final long MEBI = 1 << 20;
    private static final String SMTP_OUT = "org.slipstream.smtpout.dialog.";
    private static final String REPORT = "org.slipstream.server.report.";
    private static final String SETTINGS = "org.slipstream.settings.";
    private static final String AUTH_LINK = "org.slipstream.guard.login.AuthLink";
    private static final String ALIASES = "org.slipstream.local.address.AliasExpansion";

    @Test
    void theRowsOfEachSumAddUp() throws IOException {
        List<List<String>> table = new ArrayList<>();
        List<Long> sums = new ArrayList<>();
        for (List<String> row : rows("security.md")) {
            if (row.getFirst().equals("**in all**")) {
                sums.add(number(row.get(3)));
                assertThat(number(row.get(3))).as("the sum of %s", table).isEqualTo(
                        table.stream().skip(2).mapToLong(part -> number(part.get(3))).sum());
            }
            table = row.getFirst().equals("What") ? new ArrayList<>() : table;
            table.add(row);
        }
        assertThat(sums).as("of clients, of peers").hasSize(2);
        assertThat(row("**Memory** in all").get(1)).startsWith(sums.getFirst() + " MiB of a heap of 512 MiB");
    }

    @Test
    void whatHostsCanFillAtTheSameMomentFollowsFromTheConstants() throws IOException {
        long connections = setting("queue.lanes");
        long reply = constant(SMTP_OUT + "ReplyParser", "MAX_REPLY_BYTES");
        assertThat(row("replies under way")).contains(reply / KIBI + " KiB", String.valueOf(connections),
                mebibytes(reply * connections));
        long replies = Reply.MOST_KEPT_OCTETS * setting("queue.recipients-per-delivery");
        assertThat(row("different replies for the recipients of deliveries under way")).contains(
                replies / KIBI + " KiB", String.valueOf(connections), mebibytes(replies * connections));
        assertThat(row("texts of outcomes of active messages"))
                .contains(mebibytes(constant("org.slipstream.qmgr.settle.OutcomeTexts", "MOST_OCTETS")));
        assertThat(row("texts of a report that is made, twice")).contains(mebibytes(report()) + " MiB",
                mebibytes(2 * report()));
    }

    @Test
    void theBoundsOfPeersAndFilesAreThoseOfTheCode() throws IOException {
        assertThat(row("reply under way").get(1)).isEqualTo("%d KiB, %d lines",
                constant(SMTP_OUT + "ReplyParser", "MAX_REPLY_BYTES") / KIBI,
                constant(SMTP_OUT + "ReplyParser", "MAX_LINES"));
        assertThat(row("announced mechanisms of a login").get(2)).startsWith(
                constant(SMTP_OUT + "PeerExtensions", "MOST_MECHANISMS") + " ");
        String outcomes = "org.slipstream.qmgr.settle.OutcomeTexts";
        assertThat(row("reply that is kept as an outcome").subList(1, 3)).containsExactly(
                Reply.MOST_KEPT_OCTETS / KIBI + " KiB, " + Reply.MOST_KEPT_LINES + " lines",
                mebibytes(constant(outcomes, "MOST_OCTETS")) + " MiB in each shard; beyond it "
                        + constant(outcomes, "BRIEF_OCTETS") + " octets");
        assertThat(row("last reply of a host").get(1)).isEqualTo(Reply.MOST_KEPT_OCTETS / KIBI + " KiB");
        assertThat(row("texts of a report").get(1)).startsWith(mebibytes(report()) + " MiB, ");
        assertThat(row("line of Dovecot; lines of its greeting").subList(1, 3)).containsExactly(
                constant(AUTH_LINK, "MOST_LINE_CHARS") / KIBI + " Ki characters",
                String.valueOf(constant(AUTH_LINK, "MOST_GREETING_LINES")));
        assertThat(row("alias file, list, table, file of users").get(1))
                .isEqualTo(mebibytes(constant(SETTINGS + "BoundedFiles", "MOST_TABLE_OCTETS")) + " MiB");
        assertThat(row("`mta.toml`, template, certificate, key, tokens").get(1)).isEqualTo("%s MiB, %d levels",
                mebibytes(constant(SETTINGS + "BoundedFiles", "MOST_TEXT_OCTETS")),
                constant(SETTINGS + "TomlNesting", "MOST_DEPTH"));
        assertThat(row("targets of an alias; aliases in a chain").get(2)).isEqualTo(
                String.format(Locale.ROOT, "%,d; %,d", constant(ALIASES, "MOST_TARGETS"),
                        constant("org.slipstream.config.AliasBook", "MOST_IN_A_CHAIN")));
    }

    /// The part for people and the part for programs.
    private static long report() {
        return constant(REPORT + "ReportText", "MOST_CHARS")
                + constant(REPORT + "StatusPart", "MOST_FULL_CHARS");
    }

    private static String mebibytes(long octets) {
        return String.valueOf(Math.round((double) octets / MEBI));
    }

    private static long number(String cell) {
        return Long.parseLong(cell.replaceAll("[^0-9]", ""));
    }

    /// The value of a private constant.
    private static long constant(String type, String name) {
        try {
            var field = Class.forName(type).getDeclaredField(name);
            field.setAccessible(true);
            return ((Number) field.get(null)).longValue();
        } catch (ReflectiveOperationException gone) {
            throw new AssertionError(type + "." + name + " is a bound of docs/security.md", gone);
        }
    }

    /// The default of the table of all settings, which another test compares with the code.
    private static long setting(String key) throws IOException {
        return number(rows("configuration.md").stream().filter(row -> row.getFirst().equals("`" + key + "`"))
                .findFirst().orElseThrow().get(1));
    }

    private static List<String> row(String name) throws IOException {
        return rows("security.md").stream().filter(row -> row.getFirst().equals(name)).findFirst()
                .orElseThrow(() -> new AssertionError("no row \"" + name + "\" in docs/security.md"));
    }

    /// The cells of all tables of a page.
    private static List<List<String>> rows(String page) throws IOException {
        return Files.readAllLines(DOCS.resolve(page)).stream().filter(line -> line.startsWith("|"))
                .map(line -> Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList()).toList();
    }
}
