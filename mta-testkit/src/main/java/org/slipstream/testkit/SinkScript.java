package org.slipstream.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

import javax.net.ssl.SSLContext;

/// How an SMTP sink behaves: a correct server with exceptions by phase, by sender and by recipient.
///
/// A script is an immutable value; each method returns a changed copy. Without exceptions the sink
/// accepts every message as RFC 5321 asks, one transaction at a time. A BDAT that is refused leaves
/// the transaction open until RSET (RFC 3030 section 2), which is the freedom that is dangerous to
/// a client that pipelines.
///
/// ```
/// SmtpSink.start(SinkScript.smtp().withoutExtension("PIPELINING").onRecipient("nobody@*", SinkAction.reply("550 5.1.1 User unknown"))
///         .on(SinkPhase.FINAL_DOT, SinkAction.close().applies(3)));
/// ```
public final class SinkScript implements SinkPlan {
    static final String HOST = "sink.example";
    private static final List<String> USUAL_EXTENSIONS = List.of("PIPELINING", "SIZE 100000000", "8BITMIME",
            "ENHANCEDSTATUSCODES");

    private final boolean lmtp;
    private final Traits traits;
    private final List<SinkRule> rules;

    /// An exception: the action applies where the phase is reached and the address matches.
    record SinkRule(SinkPhase phase, Function<String, Optional<SinkAction>> choice) {}

    /// @param readOctets the octets after which the sink reads no more and closes
    /// @param writtenOctets the octets of replies after which the sink closes
    record Traits(List<String> extensions, Optional<SSLContext> tls, boolean discardsPipelined, int connections,
            String tooMany, long readOctets, long writtenOctets, boolean keepsMessages) {}

    private SinkScript(boolean lmtp, Traits traits, List<SinkRule> rules) {
        this.lmtp = lmtp;
        this.traits = traits;
        this.rules = List.copyOf(rules);
    }

    /// An SMTP server with PIPELINING, SIZE, 8BITMIME and ENHANCEDSTATUSCODES.
    public static SinkScript smtp() {
        return new SinkScript(false, new Traits(USUAL_EXTENSIONS, Optional.empty(), false, Integer.MAX_VALUE, "",
                Long.MAX_VALUE, Long.MAX_VALUE, true), List.of());
    }

    /// An LMTP server (RFC 2033) with the same extensions, which replies to a message once per
    /// recipient.
    public static SinkScript lmtp() {
        SinkScript smtp = smtp();
        return new SinkScript(true, smtp.traits, smtp.rules);
    }

    /// Announces exactly these extensions, each as its EHLO line.
    public SinkScript extensions(List<String> lines) {
        return with(new Traits(List.copyOf(lines), traits.tls, traits.discardsPipelined, traits.connections,
                traits.tooMany, traits.readOctets, traits.writtenOctets, traits.keepsMessages));
    }

    /// Announces these extensions, too.
    public SinkScript withExtensions(String... lines) {
        List<String> all = new ArrayList<>(traits.extensions);
        all.addAll(List.of(lines));
        return extensions(all);
    }

    /// Announces one extension less.
    public SinkScript withoutExtension(String keyword) {
        return extensions(traits.extensions.stream()
                .filter(line -> !line.split(" ", 2)[0].equalsIgnoreCase(keyword)).toList());
    }

    /// Announces STARTTLS and shows the certificate of this context, faulty or not.
    public SinkScript startTls(SSLContext context) {
        return with(new Traits(traits.extensions, Optional.of(context), traits.discardsPipelined, traits.connections,
                traits.tooMany, traits.readOctets, traits.writtenOctets, traits.keepsMessages));
    }

    /// Discards every command that arrived with the one before it, announced PIPELINING or not: a
    /// client that pipelines waits in vain.
    public SinkScript discardsPipelinedCommands() {
        return with(new Traits(traits.extensions, traits.tls, true, traits.connections, traits.tooMany,
                traits.readOctets, traits.writtenOctets, traits.keepsMessages));
    }

    /// Serves this many connections at once and refuses further ones.
    public SinkScript connectionLimit(int connections) {
        return connectionLimit(connections, "421 4.7.0 Too many connections");
    }

    /// Serves this many connections at once; further ones receive this greeting and are closed.
    public SinkScript connectionLimit(int connections, String greeting) {
        return with(new Traits(traits.extensions, traits.tls, traits.discardsPipelined, connections, greeting,
                traits.readOctets, traits.writtenOctets, traits.keepsMessages));
    }

    /// Closes each connection after reading this many octets, and replies to nothing that follows.
    public SinkScript closesAfterReading(long octets) {
        return with(new Traits(traits.extensions, traits.tls, traits.discardsPipelined, traits.connections,
                traits.tooMany, octets, traits.writtenOctets, traits.keepsMessages));
    }

    /// Closes each connection after this many octets of replies.
    public SinkScript closesAfterWriting(long octets) {
        return with(new Traits(traits.extensions, traits.tls, traits.discardsPipelined, traits.connections,
                traits.tooMany, traits.readOctets, octets, traits.keepsMessages));
    }

    /// Counts messages and keeps neither them nor commands, for measurements.
    public SinkScript countsOnly() {
        return with(new Traits(traits.extensions, traits.tls, traits.discardsPipelined, traits.connections,
                traits.tooMany, traits.readOctets, traits.writtenOctets, false));
    }

    /// Does this in a phase. Later exceptions take precedence over earlier ones.
    public SinkScript on(SinkPhase phase, SinkAction action) {
        return on(phase, "*", action);
    }

    /// Does this for senders that match; `*` stands for any text, `<>` is the empty text.
    public SinkScript onSender(String pattern, SinkAction action) {
        return on(SinkPhase.MAIL, pattern, action);
    }

    /// Does this for recipients that match; `*` stands for any text.
    public SinkScript onRecipient(String pattern, SinkAction action) {
        return on(SinkPhase.RCPT, pattern, action);
    }

    /// Asks a function what to do for each recipient. Several threads call it.
    public SinkScript onRecipients(Function<String, Optional<SinkAction>> choice) {
        return with(new SinkRule(SinkPhase.RCPT, choice));
    }

    /// Does this in a phase for addresses that match; `*` stands for any text.
    public SinkScript on(SinkPhase phase, String pattern, SinkAction action) {
        Pattern compiled = Pattern.compile(Pattern.quote(pattern).replace("*", "\\E.*\\Q"),
                Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
        return with(new SinkRule(phase, address -> compiled.matcher(address).matches()
                ? Optional.of(action)
                : Optional.empty()));
    }

    /// Makes every reply wait for this time.
    public SinkScript waitsBeforeReplies(Duration time) {
        SinkScript slow = this;
        for (SinkPhase phase : SinkPhase.values()) {
            slow = slow.on(phase, SinkAction.usual().waits(time));
        }
        return slow;
    }

    private SinkScript with(Traits changed) {
        return new SinkScript(lmtp, changed, rules);
    }

    private SinkScript with(SinkRule rule) {
        List<SinkRule> more = new ArrayList<>();
        more.add(rule);
        more.addAll(rules);
        return new SinkScript(lmtp, traits, more);
    }

    boolean isLmtp() {
        return lmtp;
    }

    Traits traits() {
        return traits;
    }

    List<SinkRule> rules() {
        return rules;
    }

    boolean announces(String keyword) {
        return traits.extensions.stream()
                .anyMatch(line -> line.split(" ", 2)[0].toUpperCase(Locale.ROOT).equals(keyword));
    }
}
