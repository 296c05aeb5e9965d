package org.slipstream.server.config;

import org.slipstream.qmgr.flow.Feedback;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.smtpout.wire.LongLines;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/// The table of all keys. The reader, the file that the first start writes and `docs/configuration.md` are driven by it,
/// so a key that stands here is read, written and documented, and no other is.
///
/// The tables with free keys, `[aliases]` and `[routes]`, are read by [AliasBook] and [RouteBook]; `[transport.NAME]` by
/// [TransportBook].
final class Keys {
    static final String ALIASES = "aliases";
    static final String ROUTES = "routes";
    static final String TRANSPORT = "transport";

    private static final List<Key<?>> ALL = new ArrayList<>();
    private static final long FOREVER = 3_650L * 86_400_000L;
    private static final int ANY = Integer.MAX_VALUE;

    /// Sections in the order of the file, with the sentence that introduces each.
    static final Map<String, String> SECTIONS = sections();

    static final Key<String> HOSTNAME = key("", "hostname", MailForms.hostname(), Value::text,
            "The server's own name in greetings, EHLO, `Received` lines and reports. The default is the machine's name;"
                    + " a server that other servers are to trust needs one that DNS knows.");

    static final Key<Optional<InetSocketAddress>> SMTP = key("listen", "smtp", MailForms.listener(),
            Value.text("127.0.0.1:2525"), "Mail from other servers. Port 0 takes any free one.");
    static final Key<Optional<InetSocketAddress>> SUBMISSION = key("listen", "submission", MailForms.listener(),
            Value.text("127.0.0.1:2587"),
            "Mail from your own programs and users, who log in after STARTTLS (see `[submission]`); `./mta send` uses it. Usually port 587.");
    static final Key<Optional<InetSocketAddress>> SUBMISSIONS = key("listen", "submissions", MailForms.listener(),
            Value.text("off"),
            "The same with TLS from the first byte (RFC 8314); everybody logs in here. Usually port 465.");
    static final Key<Optional<InetSocketAddress>> LMTP = key("listen", "lmtp", MailForms.listener(), Value.text("off"),
            "Mail from a relay in front of this server by LMTP (RFC 2033). For loopback or a network of your own.");

    static final Key<List<String>> DOMAINS = key("local", "domains", Forms.listOf(MailForms.domain()),
            hostname -> Value.many("localhost", hostname),
            "Domains whose mail ends here. The default is `localhost` and the hostname.");
    static final Key<List<String>> MAILBOXES = key("local", "mailboxes",
            Forms.listOf(MailForms.mailbox()), Value.many("user"),
            "Who gets mail here: local parts (in every local domain), full addresses, or `*` for every local part.");
    static final Key<String> MAILDIR = key("local", "maildir", MailForms.path(), Value.text("mail"),
            "Where mailboxes lie: `<maildir>/<domain>/<local-part>/{tmp,new,cur}`. Relative to the home folder.");
    static final Key<String> POSTMASTER = key("local", "postmaster", MailForms.person(),
            Value.text("postmaster"),
            "Who gets mail for `postmaster` of every local domain; it is always accepted. A local part means that"
                    + " mailbox in the first local domain.");
    static final Key<Optional<String>> DELIMITER = key("local", "subaddress-delimiter", MailForms.delimiter(),
            Value.text("+"), "`user+anything` goes to `user`. Empty: off.");

    static final Key<List<Network>> NETWORKS = key("relay", "networks", Forms.listOf(MailForms.relayNetwork()),
            Value.many("127.0.0.0/8", "::1/128"),
            "Clients that may send to other people's domains. Nobody else may. Blocks wider than /8 (IPv6: /16) are"
                    + " refused.");

    static final Key<Boolean> NETWORKS_WITHOUT_LOGIN = key("submission", "networks-without-login", Forms.flag(),
            Value.flag(true), "Clients of `relay.networks` may send without a login, and without TLS, on"
                    + " `listen.submission`. `false`: everybody logs in.");
    static final Key<Boolean> SENDER_MUST_BELONG = key("submission", "sender-must-belong", Forms.flag(),
            Value.flag(true), "Who has logged in sends in the name of his own addresses only (`./mta user list`).");
    static final Key<Long> LOGIN_DELAY = key("submission", "failed-login-delay", Forms.duration(0, 60_000),
            Value.text("1s"), "How long the answer to a wrong password takes; doubled by each further one.");
    static final Key<Long> LONGEST_LOGIN_DELAY = key("submission", "longest-failed-login-delay",
            Forms.duration(0, 300_000), Value.text("8s"), "Where doubling ends.");
    static final Key<Integer> FAILED_LOGINS = key("submission", "failed-logins", Forms.count(1, 1_000_000),
            Value.number(10), "Wrong passwords from one address (IPv6: one /64) before nobody may log in from there.");
    static final Key<Long> FAILED_LOGIN_MEMORY = key("submission", "failed-login-memory", Forms.duration(1, FOREVER),
            Value.text("3m"), "After this time one wrong password is forgotten.");
    static final Key<Long> LOGIN_BAN = key("submission", "ban", Forms.duration(0, FOREVER), Value.text("15m"),
            "How long nobody may log in from there.");
    static final Key<Long> LONGEST_HOLD = key("submission", "longest-hold", Forms.duration(0, 999_999_999_000L),
            Value.text("30d"), "How far ahead a message may be submitted that is to be sent later (FUTURERELEASE, RFC"
                    + " 4865). `0s`: not offered.");

    static final Key<List<Network>> PROXIES = key("trust", "proxies", Forms.listOf(MailForms.relayNetwork()),
            Value.many(),
            "Load balancers in front of this server: each of their connections begins with a PROXY header (version 1 or 2)"
                    + " that says who the client is.");
    static final Key<List<Network>> XCLIENT = key("trust", "xclient", Forms.listOf(MailForms.relayNetwork()),
            Value.many(),
            "Clients that may say by XCLIENT for whom they speak, logins included.");

    static final Key<Optional<String>> CERTIFICATE = key("tls", "certificate", MailForms.optionalPath(), Value.text(""),
            "The certificate chain in PEM, relative to the home folder. Without it a self-signed pair is made at the first"
                    + " handshake in `tls/self-signed.*`.");
    static final Key<Optional<String>> PRIVATE_KEY = key("tls", "key", MailForms.optionalPath(), Value.text(""),
            "Its private key in PEM (PKCS#8 or PKCS#1). Files that change count from the next session on.");
    static final Key<List<String>> FURTHER_PAIRS = key("tls", "further", Forms.listOf(MailForms.pair()), Value.many(),
            "More certificates, for clients that ask for one of their names (SNI): each `certificate-file key-file`, or"
                    + " one file that holds both.");

    static final Key<List<String>> TLS_OFF = key("tls", "off",
            Forms.listOf(Forms.choice(List.of("smtp", "submission", "lmtp"))), Value.many(),
            "Listeners that do not offer STARTTLS: for tests, and where something else encrypts. Nobody can log in there.");

    static final Key<Long> MESSAGE_SIZE = key("limits", "message-size", Forms.size(1, Long.MAX_VALUE),
            Value.text("25MiB"), "Largest message, announced as SIZE (RFC 1870).");
    static final Key<Integer> RECIPIENTS = key("limits", "recipients", Forms.count(1, 1_000_000), Value.number(1000),
            "Recipients of one transaction; more are asked to come again.");
    static final Key<Long> ENVELOPE_SIZE = key("limits", "envelope-size", Forms.size(4_096, ANY), Value.text("128KiB"),
            "Addresses of one transaction, with what is said of them; recipients beyond are asked to come again. 1,000 ordinary"
                    + " ones have 30 KB.");
    static final Key<Long> TRANSACTION_MEMORY = key("limits", "transaction-memory", Forms.size(1 << 20, Long.MAX_VALUE),
            Value.text("32MiB"),
            "Memory for the recipients of all transactions that are open at once, and for headers that a check"
                    + " reads; 8 KiB of each transaction are free. When it is spent, recipients are asked to come again.");
    static final Key<Integer> HOPS = key("limits", "hops", Forms.count(1, 1000), Value.number(50),
            "`Received` lines before a message counts as running in circles (RFC 5321 section 6.3).");
    static final Key<Long> HEADER_SIZE = key("limits", "header-size", Forms.size(1, ANY), Value.text("128KiB"),
            "Size of a message's header.");
    static final Key<Integer> HEADER_LINES = key("limits", "header-lines", Forms.count(1, ANY), Value.number(1000),
            "Lines of a message's header.");
    static final Key<Integer> COMMAND_LINE = key("limits", "command-line", Forms.count(512, 1 << 20),
            Value.number(2048), "Bytes of a command line (RFC 5321 section 4.5.3.1.4: at least 512).");
    static final Key<Long> TEXT_LINE = key("limits", "text-line", Forms.size(1000, ANY), Value.text("1MiB"),
            "Length of a line of a message that is still accepted (RFC 5321 section 4.5.3.1.6: at least 1000).");
    static final Key<Boolean> BARE_LINE_FEED = key("limits", "bare-line-feed",
            Forms.named(Map.of("strict", false, "normalize", true)), Value.text("normalize"),
            "`normalize`: a line that ends with LF alone counts as one that ends with CRLF, in messages of clients that may"
                    + " relay or have logged in; others are refused. `strict`: everybody is. The end of a message is"
                    + " always CRLF.CRLF.");
    static final Key<Integer> CONNECTIONS = key("limits", "connections", Forms.count(1, 100_000), Value.number(1000),
            "Sessions at once on one port. A tenth of them is kept for clients of `relay.networks` and `policy.exempt`, for users, and for"
                    + " networks from which a user has logged in since the start.");
    static final Key<Integer> CONNECTIONS_PER_CLIENT = key("limits", "connections-per-client",
            Forms.count(1, 100_000), Value.number(30),
            "Sessions at once from one address, or from one IPv6 network of 64 bits.");
    static final Key<Integer> ERRORS = key("limits", "errors", Forms.count(1, ANY), Value.number(20),
            "Errors in a session before it is closed.");
    static final Key<Integer> JUNK_COMMANDS = key("limits", "junk-commands", Forms.count(1, ANY), Value.number(100),
            "NOOP, RSET, VRFY and the like between mails before the session is closed.");
    static final Key<Integer> MESSAGES_PER_CONNECTION = key("limits", "messages-per-connection", Forms.count(1, ANY),
            Value.number(500), "Transactions before the session is closed.");
    static final Key<Long> IDLE = key("limits", "idle", Forms.duration(1, FOREVER), Value.text("300s"),
            "How long a client may be silent (RFC 5321 section 4.5.3.2.7: at least 5 minutes), leave replies unread or take for a TLS"
                    + " handshake; a tenth of it for all that wait while nine of ten places are taken.");
    static final Key<Integer> DATA_RATE = key("limits", "data-rate", Forms.count(0, ANY), Value.number(500),
            "Bytes per second that a client must send during DATA, averaged over 60 seconds.");

    static final Key<Long> MINIMAL_BACKOFF = key("queue", "minimal-backoff", Forms.duration(1, FOREVER),
            Value.text("300s"),
            "Shortest pause before the next attempt, and how long a host or destination that failed is left alone.");
    static final Key<Long> MAXIMAL_BACKOFF = key("queue", "maximal-backoff", Forms.duration(1, FOREVER),
            Value.text("4000s"), "Longest pause before the next attempt.");
    static final Key<Long> LIFETIME = key("queue", "lifetime", Forms.duration(0, FOREVER), Value.text("5d"),
            "Age at which undelivered mail is returned.");
    static final Key<Long> BOUNCE_LIFETIME = key("queue", "bounce-lifetime", Forms.duration(0, FOREVER),
            Value.text("2d"), "Age at which an undelivered report is given up.");
    static final Key<OptionalLong> SECOND_EXPIRY = key("queue", "second-expiry",
            Forms.or("never", Forms.duration(0, FOREVER)), Value.text("2d"),
            "Mail that has not been tried once by the end of its lifetime, because the destination was dead or this server stood"
                    + " still, or that an operator held, is returned so much later. `never`: it stays until it is tried.");
    static final Key<Long> DELAY_NOTICE = key("queue", "delay-notice", Forms.duration(0, FOREVER), Value.text("4h"),
            "Age at which the sender is told of a delay, once. `0s`: never.");
    static final Key<Integer> ACTIVE_MESSAGES = key("queue", "active-messages", Forms.count(1, ANY),
            Value.number(20_000), "Messages in memory at once; the others wait on disk.");
    static final Key<Integer> RECIPIENTS_PER_DELIVERY = key("queue", "recipients-per-delivery",
            Forms.count(1, 100_000), Value.number(50), "Recipients of one transaction with another server.");
    static final Key<Integer> LANES_PER_DESTINATION = key("queue", "lanes-per-destination", Forms.count(0, 10_000),
            Value.number(20), "Connections to one destination. `0`: no limit but `queue.lanes`.");
    static final Key<Integer> LANES = key("queue", "lanes", Forms.count(1, 100_000), Value.number(100),
            "Connections of one transport in all.");
    static final Key<Long> IDLE_CONNECTION = key("queue", "idle-connection", Forms.duration(0, FOREVER),
            Value.text("2s"), "How long an unused connection to another server is kept.");
    static final Key<Long> SCAN_INTERVAL = key("queue", "scan-interval", Forms.duration(1, FOREVER),
            Value.text("300s"), "How often the disk is searched for mail that is due; a safety net.");

    static final Key<Long> IN_FLOW_DELAY = key("queue", "in-flow-delay", Forms.duration(0, 60_000), Value.text("1s"),
            "While mail arrives faster than it is taken up, whoever brings a message waits so long first. `0s`: never.");

    static final Key<Boolean> DELIVER = key("queue", "deliver", Forms.flag(), Value.flag(true),
            "`false`: mail is taken in and kept, and none of it leaves before the server is started with `true` again.");

    static final Key<Boolean> SPACED_STARTS = key("queue", "spaced-starts", Forms.flag(), Value.flag(true),
            "Bulk deliveries to a destination that is slow start one after the other, so that its connections do not all come"
                    + " free at once and a letter finds one soon. `false`: all at once, as Postfix does.");

    static final Key<OrderPolicy> ORDER = key("scheduler", "order",
            Forms.named(Map.of("preemptive", OrderPolicy.PREEMPTIVE, "round-robin", OrderPolicy.ROUND_ROBIN, "fifo",
                    OrderPolicy.FIFO)),
            Value.text("preemptive"),
            "Who is next: small mail may pass bulk mail at a price (`preemptive`), destinations"
                    + " take turns as in old managers (`round-robin`), or first come, first served (`fifo`). The other two"
                    + " are there to compare.");
    static final Key<Integer> SLOT_COST = key("scheduler", "delivery-slot-cost", Forms.count(0, ANY), Value.number(5),
            "Deliveries of a message that buy one delivery for a message that passes it. 0 and 1: nobody passes.");
    static final Key<Integer> SLOT_LOAN = key("scheduler", "delivery-slot-loan", Forms.count(0, ANY), Value.number(3),
            "Slots that a message may lend before it has earned them.");
    static final Key<Integer> SLOT_DISCOUNT = key("scheduler", "delivery-slot-discount", Forms.count(0, 100),
            Value.number(50), "Percent of the price that need not be there in advance.");
    static final Key<Integer> MINIMUM_SLOTS = key("scheduler", "minimum-delivery-slots", Forms.count(0, ANY),
            Value.number(3), "A message that can never earn so many slots is not passed.");
    static final Key<Integer> RECIPIENT_LIMIT = key("scheduler", "recipient-limit", Forms.count(0, ANY),
            Value.number(20_000), "Recipients of one transport in memory.");
    static final Key<Integer> EXTRA_RECIPIENT_LIMIT = key("scheduler", "extra-recipient-limit", Forms.count(0, ANY),
            Value.number(1_000), "More of them, for messages that pass others while they are not fully read.");
    static final Key<Integer> REFILL_LIMIT = key("scheduler", "recipient-refill-limit", Forms.count(1, ANY),
            Value.number(100), "So much free room causes the next recipients to be read.");
    static final Key<Long> REFILL_DELAY = key("scheduler", "recipient-refill-delay", Forms.duration(0, FOREVER),
            Value.text("5s"), "After this time any free room does.");
    static final Key<Integer> MESSAGE_RECIPIENT_LIMIT = key("scheduler", "message-recipient-limit",
            Forms.count(1, ANY), Value.number(20_000),
            "Recipients in memory up to which messages are read generously at first; at least `queue.active-messages`.");
    static final Key<Integer> MESSAGE_RECIPIENT_MINIMUM = key("scheduler", "message-recipient-minimum",
            Forms.count(1, ANY), Value.number(10), "Recipients of any message that may be in memory whatever else is.");

    static final Key<Integer> INITIAL_CONCURRENCY = key("concurrency", "initial-destination-concurrency",
            Forms.count(1, 10_000), Value.number(5),
            "Connections to a destination of which nothing is known; at most `queue.lanes-per-destination`.");
    static final Key<Feedback> POSITIVE_FEEDBACK = key("concurrency", "positive-feedback", feedback(), Value.text("1"),
            "What a working session adds; a whole point opens one more connection.");
    static final Key<Feedback> NEGATIVE_FEEDBACK = key("concurrency", "negative-feedback", feedback(), Value.text("1"),
            "What a failed connection or handshake takes away.");
    static final Key<Integer> FAILED_COHORT_LIMIT = key("concurrency", "failed-cohort-limit", Forms.count(0, ANY),
            Value.number(1), "Whole sets of connections that may fail in a row before a destination counts as dead.");
    static final Key<FeedbackVariant> FEEDBACK_VARIANT = key("concurrency", "feedback-variant",
            Forms.named(Map.of("pseudocode", FeedbackVariant.PSEUDOCODE, "postfix-source",
                    FeedbackVariant.POSTFIX_SOURCE, "plus-minus-one", FeedbackVariant.PLUS_MINUS_ONE)),
            Value.text("pseudocode"), "The algorithm as printed, as compiled in Postfix today, or as it was before"
                    + " Postfix 2.5.");
    static final Key<Boolean> FEEDBACK_DEBUG = key("concurrency", "feedback-debug", Forms.flag(), Value.flag(false),
            "Log each change of a window, and who passes whom.");
    static final Key<Long> RATE_DELAY = key("concurrency", "destination-rate-delay", Forms.duration(0, FOREVER),
            Value.text("0s"), "Pause of a destination after each delivery; makes deliveries to it go one by one.");
    static final Key<Long> TRANSPORT_RETRY = key("concurrency", "transport-retry", Forms.duration(1, FOREVER),
            Value.text("60s"), "Pause of a transport that does not work for a reason of our own.");

    static final Key<Integer> MESSAGE_CONCURRENCY = key("placement", "max-message-concurrency",
            Forms.count(1, 100_000), Value.number(5),
            "Connections that one message may keep busy however many others wait.");
    static final Key<Integer> MESSAGE_SCALE = key("placement", "scale-max-concurrency", Forms.count(0, 100_000),
            Value.number(10),
            "It may have more while it has fewer than so many times the connections that are free.");
    static final Key<Integer> CONNECTION_DEPTH = key("placement", "connection-depth", Forms.count(1, 1_000),
            Value.number(2),
            "Unanswered deliveries on one connection before another one is opened, until round trips have been measured.");
    static final Key<Integer> MOST_CONNECTION_DEPTH = key("placement", "most-connection-depth", Forms.count(1, 1_000),
            Value.number(50), "At the most, to hosts that allow to go ahead of their replies. 1: one at a time.");
    static final Key<Long> BYTES_AHEAD = key("placement", "bytes-ahead", Forms.size(1, 1 << 30), Value.text("4MiB"),
            "Bytes of unanswered messages on one connection; a larger message goes alone. It bounds what is sent twice"
                    + " when a connection breaks.");
    static final Key<Integer> OVERFLOW = key("placement", "overflow", Forms.count(1, 1_000), Value.number(1),
            "So many times its depth are queued on a connection when no other one may be opened. With 1 they wait where"
                    + " a more urgent message can still pass them.");
    static final Key<Integer> IDLE_PER_HOST = key("placement", "idle-per-host", Forms.count(0, 10_000),
            Value.number(2),
            "Connections with nothing to do that are kept to one host; more for a fifth of a second, until it is clear that they are not needed.");
    static final Key<Long> CONNECTION_AGE = key("placement", "connection-age", Forms.duration(1, FOREVER),
            Value.text("300s"), "A connection older than this takes nothing more.");
    static final Key<Long> CROWDED = key("placement", "crowded", Forms.duration(0, FOREVER), Value.text("60s"),
            "How long no further connection is tried at a host that refused one while others worked.");
    static final Key<Long> CLOSED_MEMORY = key("placement", "closed-memory", Forms.duration(0, FOREVER),
            Value.text("1h"), "How long it is remembered which host of several worked last.");
    static final Key<Long> HABIT_MEMORY = key("placement", "habit-memory", Forms.duration(0, FOREVER),
            Value.text("1d"), "How long it is remembered that a host breaks when one goes ahead of its replies.");
    static final Key<Integer> RETURNS = key("placement", "returns", Forms.count(1, 1_000), Value.number(3),
            "How often in a row a delivery may be the first on a breaking connection before it is deferred.");
    static final Key<Integer> UNPROVEN_PERCENT = key("placement", "unproven-percent", Forms.count(1, 100),
            Value.number(75), "Share of the connections that may wait for the greeting of hosts that are not known to"
                    + " work, one for each host. The rest is for hosts that have greeted within `placement.closed-memory`.");
    static final Key<Integer> FAILED_PERCENT = key("placement", "failed-percent", Forms.count(1, 100),
            Value.number(25), "Of these, for hosts that failed the last time.");
    static final Key<Boolean> TRACK_CLOSED = key("placement", "track-closed", Forms.flag(), Value.flag(true),
            "A new connection goes to a host of which nothing is known first, then to the host that worked and was used longest ago."
                    + " `false`: both are one class, chosen at random.");
    static final Key<Boolean> RETRY_LAST = key("placement", "retry-last", Forms.flag(), Value.flag(true),
            "A host that failed and may be tried again is the last choice. `false`: it counts as a host of which nothing is known.");
    static final Key<Long> GREETING_YIELD = key("placement", "greeting-yield", Forms.duration(1, FOREVER),
            Value.text("30s"), "Whoever has waited so long for a greeting makes room when connections are short."
                    + " Otherwise `smtp-client.greeting-timeout` decides.");

    static final Key<Boolean> START_TLS = key("smtp-client", "starttls", Forms.flag(), Value.flag(true),
            "Use TLS where it is offered (RFC 7435: without checking the certificate).");
    static final Key<List<InetSocketAddress>> DNS_SERVERS = key("smtp-client", "dns-servers",
            Forms.listOf(MailForms.server()), Value.many(), "Whom to ask for MX records. Empty: those of the system.");
    static final Key<Long> CONNECT_TIMEOUT = timeout("connect-timeout", "30s", "Wait for a connection.");
    static final Key<Long> GREETING_TIMEOUT = timeout("greeting-timeout", "300s", "Wait for the greeting.");
    static final Key<Long> COMMAND_TIMEOUT = timeout("command-timeout", "300s",
            "Wait for the reply to EHLO, MAIL or RCPT.");
    static final Key<Long> TLS_TIMEOUT = timeout("tls-timeout", "300s", "Wait for the reply to STARTTLS and for the"
            + " handshake.");
    static final Key<Long> DATA_REPLY_TIMEOUT = timeout("data-reply-timeout", "120s", "Wait for the reply to DATA.");
    static final Key<Long> DATA_BLOCK_TIMEOUT = timeout("data-block-timeout", "180s",
            "Wait until a block of a message is taken.");
    static final Key<Long> FINAL_REPLY_TIMEOUT = timeout("final-reply-timeout", "600s",
            "Wait for the reply to the end of a message. Shorter ones deliver twice (RFC 1047).");

    static final Key<LongLines> LONG_LINES = key("smtp-client", "long-lines",
            Forms.named(Map.of("convert", LongLines.CONVERT, "break", LongLines.BREAK, "send", LongLines.SEND)),
            Value.text("convert"),
            "Lines of more than 998 octets. `convert`: bodies are encoded, headers folded, and what"
                    + " is signed or allows neither is returned. `break`: as Postfix, a line end and a blank are put in."
                    + " `send`: as they are.");

    static final Key<Optional<InetAddress>> SOURCE_V4 = key("smtp-client", "source-address-v4",
            MailForms.source(Inet4Address.class, "192.0.2.1"), Value.text(""),
            "Our own address for connections by IPv4. Empty: the system chooses.");
    static final Key<Optional<InetAddress>> SOURCE_V6 = key("smtp-client", "source-address-v6",
            MailForms.source(Inet6Address.class, "2001:db8::1"), Value.text(""),
            "Our own address for connections by IPv6. Empty: the system chooses.");
    static final Key<Boolean> MX_ROLL_UP = key("smtp-client", "mx-roll-up", Forms.flag(), Value.flag(false),
            "Domains with the same MX hosts are one destination: they share its connections, its limits and its fate.");

    static final Key<Optional<String>> CREDENTIALS = key("smarthost", "credentials", MailForms.optionalPath(),
            Value.text(""),
            "File of logins, a line each: `host user password`, or `host:port user password`. Nobody but"
                    + " its owner may read it. A host that stands there gets no mail without the login.");
    static final Key<Boolean> LOGIN_IN_THE_CLEAR = key("smarthost", "login-in-the-clear", Forms.flag(),
            Value.flag(false), "Show the password also without TLS (PLAIN and LOGIN; SCRAM never shows it).");
    static final Key<Optional<String>> AUTHORITIES = key("smarthost", "authorities", MailForms.optionalPath(),
            Value.text(""),
            "File of the certificates in PEM whose signature `tls=verify` believes. Empty: the authorities"
                    + " that this Java knows.");

    static final Key<String> SPOOL_DIRECTORY = key("spool", "directory", MailForms.path(), Value.text("spool"),
            "Where the queue lies, relative to the home folder.");
    static final Key<Optional<String>> REGISTER = key("spool", "register", MailForms.database(), Value.text(""),
            "Where the queue index is kept. Empty: in a file beside the letters. A URL such as"
                    + " jdbc:postgresql://127.0.0.1/slipstream?user=slipstream: in that PostgreSQL.");
    static final Key<Long> SEGMENT_SIZE = key("spool", "segment-size", Forms.size(64 << 10, Long.MAX_VALUE),
            Value.text("64MiB"), "A segment file is full at this size.");
    static final Key<Long> INLINE_SIZE = key("spool", "inline-size", Forms.size(0, ANY), Value.text("128KiB"),
            "Larger messages get a file of their own.");
    static final Key<OptionalLong> MINIMUM_FREE = key("spool", "minimum-free",
            Forms.or("auto", Forms.size(0, Long.MAX_VALUE)), Value.text("auto"),
            "With less free space on the disk no mail is accepted. `auto`: 256 MiB, or 5 % of a disk below 5 GiB.");

    static final Key<Long> GREETING_DELAY = key("policy", "greeting-delay", Forms.duration(0, 30_000),
            Value.text("0s"),
            "How long a client is watched before it is greeted; who talks meanwhile is sent away with 554. Even with `0s` what has"
                    + " come by then counts. Some seconds keep many spam programs out, and delay everybody.");
    static final Key<Boolean> STRICT_TURNS = key("policy", "strict-turns", Forms.flag(), Value.flag(true),
            "Send away who talks on after EHLO or DATA without waiting for the answer (RFC 2920 section 3.1).");
    static final Key<List<Network>> EXEMPT = key("policy", "exempt", Forms.listOf(MailForms.network()), Value.many(),
            "Clients that rates, block lists, sender domains and greylisting do not concern, as those of"
                    + " `relay.networks`: a backup MX, a forwarder that you know. They still may not relay.");
    static final Key<Integer> CLIENT_PREFIX_V4 = key("policy", "client-prefix-v4", Forms.count(8, 32),
            Value.number(32), "IPv4 clients with so many bits in common count as one.");
    static final Key<Integer> CLIENT_PREFIX_V6 = key("policy", "client-prefix-v6", Forms.count(16, 128),
            Value.number(64), "IPv6 clients with so many bits in common count as one.");
    static final Key<Integer> CONNECTION_RATE = key("policy", "connections-per-minute", Forms.count(0, ANY),
            Value.number(120), "Of one client network; more are sent away with 421. 0: no limit, here and below.");
    static final Key<Integer> MESSAGE_RATE = key("policy", "messages-per-hour", Forms.count(0, ANY),
            Value.number(3_000), "Of one client network; more are put off with 450.");
    static final Key<Integer> RECIPIENT_RATE = key("policy", "recipients-per-hour", Forms.count(0, ANY),
            Value.number(10_000), "Of one client network, known here or not; more are put off with 450.");
    static final Key<Integer> USER_MESSAGE_RATE = key("policy", "user-messages-per-hour", Forms.count(0, ANY),
            Value.number(1_000), "Of one user who has logged in, wherever he comes from.");
    static final Key<Integer> USER_RECIPIENT_RATE = key("policy", "user-recipients-per-hour", Forms.count(0, ANY),
            Value.number(5_000), "Of one user who has logged in, wherever he comes from.");
    static final Key<Integer> RATES_REMEMBERED = key("policy", "rates-remembered", Forms.count(100, 10_000_000),
            Value.number(20_000), "Networks and users whose rates are kept; the longest unused is forgotten first.");
    static final Key<List<Config.BlockList>> BLOCK_LISTS = key("policy", "block-lists",
            Forms.listOf(MailForms.blockList()), Value.many(),
            "DNS lists of clients whose mail is refused with 554, or with ` tag` behind the name only tagged. A"
                    + " list that does not answer in time says nothing.");
    static final Key<Boolean> SENDER_DOMAIN = key("policy", "sender-domain", Forms.flag(), Value.flag(false),
            "Refuse senders whose domain DNS does not know, or that takes no mail (RFC 7505): nothing could be returned"
                    + " to them. Nobody is refused because DNS is slow or broken.");
    static final Key<Long> DNS_PATIENCE = key("policy", "dns-patience", Forms.duration(10, 60_000), Value.text("3s"),
            "How long a client waits for one answer of DNS before the question is let go.");
    static final Key<Boolean> GREYLISTING = key("policy", "greylisting", Forms.flag(), Value.flag(false),
            "Put off who writes for the first time; a mail server comes back, many spam programs do not. Delays honest"
                    + " mail. Remembered in memory alone.");
    static final Key<Long> GREYLIST_DELAY = key("policy", "greylist-delay", Forms.duration(1, 86_400_000),
            Value.text("5m"), "Who comes back sooner is put off again.");
    static final Key<Long> GREYLIST_WINDOW = key("policy", "greylist-window", Forms.duration(1, FOREVER),
            Value.text("1d"), "Who comes back later is new.");
    static final Key<Long> GREYLIST_KEEP = key("policy", "greylist-keep", Forms.duration(1, FOREVER),
            Value.text("35d"), "How long after his last mail who came back is known.");
    static final Key<Integer> GREYLIST_REMEMBERED = key("policy", "greylist-remembered",
            Forms.count(100, 10_000_000), Value.number(100_000),
            "Senders in memory, some 200 bytes each; the longest unused is forgotten first.");
    static final Key<Config.HeaderStrictness> HEADER_FORM = key("policy", "header-form",
            Forms.named(Map.of("any", Config.HeaderStrictness.ANY, "unambiguous", Config.HeaderStrictness.UNAMBIGUOUS,
                    "with-from",
                    Config.HeaderStrictness.WITH_FROM)),
            Value.text("any"),
            "`unambiguous`: refuse a header with two From, To, Subject and the like (RFC 5322 section 3.6), in"
                    + " which two readers see two messages. `with-from`: and one without From.");
    static final Key<Optional<String>> HEADER_CHECKS = key("policy", "header-checks", MailForms.optionalPath(),
            Value.text(""), "File of header checks, relative to the home folder: lines `action field /pattern/ text`;"
                    + " docs/security.md.");

    static final Key<String> LOG_LEVEL = key("log", "level",
            Forms.choice(List.of("error", "warn", "info", "debug", "trace")), Value.text("info"),
            "How much is told on standard error.");

    private Keys() {}

    static List<Key<?>> all() {
        return List.copyOf(ALL);
    }

    private static Form<Feedback> feedback() {
        return Forms.text("an amount from 0 to 1 such as \"1\", \"1/4\", \"1/concurrency\" or \"1/sqrt_concurrency\"",
                Feedback::parse);
    }

    private static Key<Long> timeout(String name, String standard, String doc) {
        return key("smtp-client", name, Forms.duration(1, FOREVER), Value.text(standard), doc);
    }

    private static <T> Key<T> key(String section, String name, Form<T> form, Value standard, String doc) {
        return key(section, name, form, _ -> standard, doc);
    }

    private static <T> Key<T> key(String section, String name, Form<T> form, Function<String, Value> standard,
            String doc) {
        Key<T> key = new Key<>(section, name, form, standard, doc);
        ALL.add(key);
        return key;
    }

    private static Map<String, String> sections() {
        Map<String, String> sections = new LinkedHashMap<>();
        sections.put("", "");
        sections.put("listen", "Where the server can be reached.");
        sections.put("local", "Mail that ends here.");
        sections.put(ALIASES, "Other names: a local part (of every local domain) or a full address, and where its mail"
                + " goes instead, here or elsewhere.");
        sections.put("relay", "Mail that only passes through.");
        sections.put("submission", "Mail of users, who log in (`./mta user add`).");
        sections.put("trust", "Who may speak for others.");
        sections.put(ROUTES, "Where mail for other domains goes: first the exact domain, then the longest `.suffix`"
                + " (subdomains only), then `*`.");
        sections.put("tls", "Encryption of incoming sessions (STARTTLS).");
        sections.put("limits", "What a client may ask of us.");
        sections.put("policy", "Whose mail is taken, asked in the order of docs/security.md.");
        sections.put("queue", "How mail waits and is tried again.");
        sections.put("scheduler", "Who is next (docs/scheduler.md). Names as in Postfix.");
        sections.put("concurrency", "How many at once to one destination (docs/scheduler.md). Names as in Postfix.");
        sections.put(TRANSPORT, "What is different for one transport.");
        sections.put("placement", "On which connection a message goes, and when another one is opened.");
        sections.put("smtp-client", "How mail is sent to other servers (waits: RFC 5321 section 4.5.3.2).");
        sections.put("smarthost",
                "Hosts that take mail for others, named in `[routes]` as `smtp:host:port`, or `smtps:host`"
                        + " where TLS comes first (port 465).");
        sections.put("spool", "How mail is kept on disk.");
        sections.put("log", "What the server tells of its work.");
        return sections;
    }
}
