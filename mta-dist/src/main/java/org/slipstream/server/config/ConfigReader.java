package org.slipstream.server.config;

import org.slipstream.core.Address;
import org.slipstream.qmgr.QmgrConfig;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Reads `<home>/mta.toml` and `--set` into a [Config], or tells everything that is wrong with them.
///
/// Four steps, each adding to the same list of complaints: text to entries ([TomlSource], [Overrides]), entries to values
/// ([Values], by the table in [Keys]), values against each other ([Checks], [AliasBook], [RouteBook]), values to records.
public final class ConfigReader {
    public static final String FILE = "mta.toml";

    private ConfigReader() {}

    /// @param overrides `key=value`, stronger than the file; the last of a key counts
    public static ReadResult read(Path home, List<String> overrides) {
        return read(home, HostName.ofMachine(), overrides);
    }

    static ReadResult read(Path home, String machine, List<String> overrides) {
        Complaints complaints = new Complaints();
        List<SettingEntry> entries = new ArrayList<>();
        text(home.resolve(FILE), complaints).ifPresent(text -> entries.addAll(TomlSource.read(FILE, text, complaints)));
        entries.addAll(Overrides.read(overrides, complaints));
        Path absolute = home.toAbsolutePath().normalize();
        Values values = new Values(entries, machine, complaints);
        Config config = build(absolute, values, complaints);
        return complaints.count() == 0
                ? new ReadResult.Accepted(config)
                : new ReadResult.Rejected(complaints.inOrder());
    }

    /// Empty when there is no file: then the defaults hold.
    private static Optional<String> text(Path file, Complaints complaints) {
        try {
            return decode(Files.readAllBytes(file), complaints);
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException unreadable) {
            complaints.add(new SourcePlace(FILE, 0), "", file + " cannot be read: " + unreadable.getMessage());
            return Optional.empty();
        }
    }

    private static Optional<String> decode(byte[] bytes, Complaints complaints) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length + 1);
        CoderResult result = decoder.decode(in, out, true);
        if (result.isError()) {
            int line = 1 + (int) out.flip().chars().filter(c -> c == '\n').count();
            complaints.add(new SourcePlace(FILE, line), "", "a character that is not UTF-8");
            return Optional.empty();
        }
        // Editors of another system put a byte order mark in front, which TOML does not know.
        String text = out.flip().toString();
        return Optional.of(text.startsWith("\uFEFF") ? text.substring(1) : text);
    }

    private static Config build(Path home, Values values, Complaints complaints) {
        new Checks(values, home, complaints).run();
        Config.Local local = local(home, values);
        return new Config(home, values.get(Keys.HOSTNAME),
                new Config.Listen(values.get(Keys.SMTP), values.get(Keys.SUBMISSION), values.get(Keys.SUBMISSIONS),
                        values.get(Keys.LMTP)),
                local,
                aliases(values, local, complaints),
                new Config.Relay(values.get(Keys.NETWORKS), values.get(Keys.BARE_LINE_FEED)),
                RouteBook.read(values.table(Keys.ROUTES), local.domains(), Checks.listeners(values).values(),
                        complaints),
                tls(home, values), limits(values), queue(values), delivery(values, complaints), smtpClient(values),
                spool(home, values), values.get(Keys.LOG_LEVEL), outbound(home, values),
                submission(values), new Config.Trust(values.get(Keys.PROXIES), values.get(Keys.XCLIENT)),
                placement(values), PolicyBook.read(values, home, complaints), values.written());
    }

    /// When the domains or mailboxes could not be read, every alias would seem to lead nowhere: its own form is still
    /// checked, against a server that has everything.
    private static Map<String, List<Address>> aliases(Values values, Config.Local local, Complaints complaints) {
        if (values.isSound(Keys.DOMAINS, Keys.MAILBOXES, Keys.POSTMASTER, Keys.DELIMITER)) {
            return AliasBook.read(values.table(Keys.ALIASES), local, complaints);
        }
        values.table(Keys.ALIASES)
                .forEach((name, value) -> AliasBook.TARGETS.read(value, Keys.ALIASES + "." + name, complaints));
        return Map.of();
    }

    private static Config.Local local(Path home, Values values) {
        List<String> domains = values.get(Keys.DOMAINS).stream().distinct().toList();
        String postmaster = values.get(Keys.POSTMASTER);
        String first = domains.isEmpty() ? values.get(Keys.HOSTNAME) : domains.getFirst();
        Address address = Address.parse(postmaster).orElseGet(() -> new Address(postmaster, first));
        return new Config.Local(domains, values.get(Keys.MAILBOXES), home.resolve(values.get(Keys.MAILDIR)), address,
                values.get(Keys.DELIMITER));
    }

    private static Config.Tls tls(Path home, Values values) {
        return new Config.Tls(values.get(Keys.CERTIFICATE).map(home::resolve),
                values.get(Keys.PRIVATE_KEY).map(home::resolve),
                values.get(Keys.FURTHER_PAIRS).stream().map(pair -> Checks.pair(home, pair)).toList(),
                Set.copyOf(values.get(Keys.TLS_OFF)));
    }

    private static Config.Submission submission(Values values) {
        return new Config.Submission(values.get(Keys.NETWORKS_WITHOUT_LOGIN), values.get(Keys.SENDER_MUST_BELONG),
                values.get(Keys.LOGIN_DELAY), values.get(Keys.LONGEST_LOGIN_DELAY), values.get(Keys.FAILED_LOGINS),
                values.get(Keys.FAILED_LOGIN_MEMORY), values.get(Keys.LOGIN_BAN),
                values.get(Keys.LONGEST_HOLD));
    }

    private static Config.Limits limits(Values values) {
        return new Config.Limits(values.get(Keys.MESSAGE_SIZE), values.get(Keys.RECIPIENTS),
                bytes(values, Keys.ENVELOPE_SIZE), values.get(Keys.TRANSACTION_MEMORY), values.get(Keys.HOPS),
                bytes(values, Keys.HEADER_SIZE), values.get(Keys.HEADER_LINES), values.get(Keys.COMMAND_LINE),
                bytes(values, Keys.TEXT_LINE), values.get(Keys.CONNECTIONS), values.get(Keys.CONNECTIONS_PER_CLIENT),
                values.get(Keys.ERRORS), values.get(Keys.JUNK_COMMANDS), values.get(Keys.MESSAGES_PER_CONNECTION),
                values.get(Keys.IDLE), values.get(Keys.DATA_RATE));
    }

    private static Config.Queue queue(Values values) {
        return new Config.Queue(values.get(Keys.MINIMAL_BACKOFF), values.get(Keys.MAXIMAL_BACKOFF),
                values.get(Keys.LIFETIME), values.get(Keys.BOUNCE_LIFETIME),
                values.get(Keys.SECOND_EXPIRY).orElse(Long.MAX_VALUE), values.get(Keys.DELAY_NOTICE),
                values.get(Keys.ACTIVE_MESSAGES), values.get(Keys.RECIPIENTS_PER_DELIVERY),
                values.get(Keys.LANES_PER_DESTINATION), values.get(Keys.LANES), values.get(Keys.IDLE_CONNECTION),
                values.get(Keys.SCAN_INTERVAL), values.get(Keys.IN_FLOW_DELAY), values.get(Keys.DELIVER),
                values.get(Keys.SPACED_STARTS));
    }

    private static Config.Delivery delivery(Values values, Complaints complaints) {
        return new Config.Delivery(values.get(Keys.ORDER), values.get(Keys.FEEDBACK_VARIANT),
                values.get(Keys.FEEDBACK_DEBUG), values.get(Keys.TRANSPORT_RETRY),
                new QmgrConfig.Memory(values.get(Keys.MESSAGE_RECIPIENT_LIMIT),
                        values.get(Keys.MESSAGE_RECIPIENT_MINIMUM)),
                TransportBook.read(values, complaints), values.get(Keys.DELIMITER));
    }

    private static Config.SmtpClient smtpClient(Values values) {
        return new Config.SmtpClient(values.get(Keys.START_TLS), values.get(Keys.DNS_SERVERS),
                values.get(Keys.CONNECT_TIMEOUT), values.get(Keys.GREETING_TIMEOUT), values.get(Keys.COMMAND_TIMEOUT),
                values.get(Keys.TLS_TIMEOUT), values.get(Keys.DATA_REPLY_TIMEOUT),
                values.get(Keys.DATA_BLOCK_TIMEOUT), values.get(Keys.FINAL_REPLY_TIMEOUT),
                values.get(Keys.LONG_LINES));
    }

    private static Config.Outbound outbound(Path home, Values values) {
        return new Config.Outbound(values.get(Keys.SOURCE_V4).map(Inet4Address.class::cast),
                values.get(Keys.SOURCE_V6).map(Inet6Address.class::cast), values.get(Keys.MX_ROLL_UP),
                values.get(Keys.CREDENTIALS).map(home::resolve), values.get(Keys.AUTHORITIES).map(home::resolve),
                values.get(Keys.LOGIN_IN_THE_CLEAR));
    }

    private static Config.Placement placement(Values values) {
        int most = values.get(Keys.MOST_CONNECTION_DEPTH);
        int unproven = values.get(Keys.UNPROVEN_PERCENT);
        return new Config.Placement(values.get(Keys.MESSAGE_CONCURRENCY), values.get(Keys.MESSAGE_SCALE),
                Math.min(values.get(Keys.CONNECTION_DEPTH), most), most, values.get(Keys.BYTES_AHEAD),
                values.get(Keys.OVERFLOW), values.get(Keys.IDLE_PER_HOST), values.get(Keys.CONNECTION_AGE),
                values.get(Keys.CROWDED), values.get(Keys.CLOSED_MEMORY), values.get(Keys.HABIT_MEMORY),
                values.get(Keys.RETURNS), unproven, Math.min(values.get(Keys.FAILED_PERCENT), unproven),
                values.get(Keys.GREETING_YIELD), values.get(Keys.TRACK_CLOSED), values.get(Keys.RETRY_LAST));
    }

    private static Config.SpoolSettings spool(Path home, Values values) {
        return new Config.SpoolSettings(home.resolve(values.get(Keys.SPOOL_DIRECTORY)),
                values.get(Keys.SEGMENT_SIZE), bytes(values, Keys.INLINE_SIZE), values.get(Keys.MINIMUM_FREE),
                values.get(Keys.REGISTER));
    }

    /// The forms of these keys allow no more than fits.
    private static int bytes(Values values, Key<Long> key) {
        return Math.toIntExact(values.get(key));
    }
}
