package org.slipstream.server.operate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.AccountOperations;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.core.SpamMark;
import org.slipstream.core.order.AccountVerb;
import org.slipstream.events.account.AccountBook;
import org.slipstream.events.account.AccountBook.AccountState;
import org.slipstream.events.account.AccountBook.Counted;
import org.slipstream.events.account.AccountFile;
import org.slipstream.events.account.AccountRules;
import org.slipstream.events.account.AccountSettings.AccountWatch;
import org.slipstream.events.stream.MailEventKind;
import org.slipstream.events.stream.UnloggedEvent;
import org.slipstream.server.dispatch.RefusedMail;
import org.slipstream.server.feedback.ReturnedMail.EventSink;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.HeaderChange;
import org.slipstream.smtpin.policy.Ruling;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// The accounts of users and of senders' domains at work: as the last check of the listener, after refusals, and for
/// operators.
///
/// Only mail of own clients counts: of a user who logged in, or of an address that may relay. A message counts when it
/// is complete and no check before has refused it.
///
/// The thread `accounts` writes the file every ten seconds and at the end; a kill loses what came since.
public final class AccountControl implements AccountOperations, Check, RefusedMail, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(AccountControl.class);
    private static final long WRITE_SECONDS = 10;
    private static final int LONGEST_STOP_SECONDS = 5;
    /// Of users that are told one by one.
    private static final int MOST_TROUBLES = 20;

    private final AccountBook book;
    private final AccountFile file;
    private final Supplier<Config> config;
    private final EventSink events;
    private final LongSupplier clock;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread writer = Thread.ofPlatform().daemon().name("accounts").unstarted(this::write);

    /// @param config in force
    /// @param events gets the holds
    public AccountControl(AccountBook book, AccountFile file, Supplier<Config> config, EventSink events,
            LongSupplier clock) {
        this.book = book;
        this.file = file;
        this.config = config;
        this.events = events;
        this.clock = clock;
    }

    public AccountControl start() {
        writer.start();
        return this;
    }

    private void write() {
        boolean over = false;
        while (!over) {
            try {
                over = stop.await(WRITE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException end) {
                over = true;
            }
            file.write(book);
        }
    }

    @Override
    public void close() {
        stop.countDown();
        try {
            writer.join(TimeUnit.SECONDS.toMillis(LONGEST_STOP_SECONDS));
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private AccountRules rules() {
        return config.get().accounts();
    }

    // ---- in a session

    @Override
    public String name() {
        return CHECK;
    }

    /// A cap is told at the recipient that exceeds it, so the client knows which ones to send later.
    @Override
    public Ruling rcpt(Client client, Rcpt rcpt) {
        return book.refusal(names(client, rcpt.sender()), rcpt.accepted() + 1, rules(), clock.getAsLong())
                .map(AccountControl::refuse).orElseGet(Ruling::pass);
    }

    @Override
    public Ruling end(Client client, CheckedMessage message) {
        List<String> names = names(client, message.envelope().sender());
        if (names.isEmpty()) {
            return Ruling.pass();
        }
        Counted counted = book.count(names, message.envelope().recipients().size(), network(client.address()),
                rules(), clock.getAsLong());
        return switch (counted) {
            case Counted.Refused refused -> refuse(refused);
            case Counted.Sent(Optional<String> suspicious, boolean news) -> {
                suspicious.filter(_ -> news).ifPresent(reason -> told(client.user().orElse(""), reason));
                yield suspicious.filter(_ -> rules().watch() == AccountWatch.HOLD)
                        .map(reason -> Ruling.hold("mail of " + LogText.text(client.user().orElse("")) + ": " + reason))
                        .orElseGet(Ruling::pass);
            }
        };
    }

    /// The accounts that a message counts for; none for mail of other servers.
    private List<String> names(Client client, Optional<Address> sender) {
        List<String> names = new ArrayList<>(2);
        if (client.user().isPresent() || config.get().relay().contains(client.address())) {
            client.user().ifPresent(names::add);
            sender.ifPresent(address -> names.add(AccountBook.ofDomain(address.domainKey())));
        }
        return names;
    }

    private static Ruling refuse(Counted.Refused refused) {
        // RFC 6409 section 6.2 and Postfix: 450 4.7.1 for a rate, so a client tries again.
        String account = refused.account().startsWith("@") ? "for this sender domain" : "for this user";
        log.info("event=cap-reached account={} cap={} within={}", LogText.word(refused.account()), refused.cap().cap(),
                refused.cap().time());
        return new Ruling.Refuse(Reply.of(450, "4.7.1", "Error: too many recipients " + account + ", at most "
                + refused.cap().cap() + " within " + (refused.cap().time().equals("hour") ? "an " : "a ")
                + refused.cap().time() + "; try again later"));
    }

    /// The network of a client: a /16 of IPv4, a /32 of IPv6, which is about what a provider has.
    static String network(InetAddress address) {
        byte[] octets = address.getAddress();
        return address instanceof Inet4Address
                ? (octets[0] & 0xff) + "." + (octets[1] & 0xff) + ".0.0/16"
                : String.format(Locale.ROOT, "%02x%02x:%02x%02x::/32", octets[0], octets[1], octets[2], octets[3]);
    }

    /// The same check, whose verdicts about mail of users count.
    ///
    /// @param filter Rspamd
    public Check watching(Check filter) {
        return new Check() {
            @Override
            public String name() {
                return filter.name();
            }

            @Override
            public Ruling end(Client client, CheckedMessage message) {
                Ruling ruling = filter.end(client, message);
                client.user().filter(_ -> isSpam(ruling)).ifPresent(user -> book.spam(user, rules(), clock.getAsLong())
                        .ifPresent(reason -> told(user, reason)));
                return ruling;
            }
        };
    }

    private static boolean isSpam(Ruling ruling) {
        return switch (ruling) {
            case Ruling.Refuse(Reply reply) -> reply.isPermanent();
            case Ruling.Pass(Optional<String> _, HeaderChange change, Optional<String> _) ->
                change.additions().stream().anyMatch(each -> each.name().equalsIgnoreCase(SpamMark.FIELD));
            case Ruling.Accept _ -> false;
        };
    }

    // ---- after an attempt

    @Override
    public boolean counts() {
        return rules().watch() != AccountWatch.OFF;
    }

    @Override
    public void refused(Envelope envelope) {
        String user = envelope.origin().user();
        if (!user.isEmpty()) {
            book.refused(user, rules(), clock.getAsLong()).ifPresent(reason -> told(user, reason));
        }
    }

    /// Counts a complaint about mail of a user.
    public void complained(String user) {
        book.complained(user, clock.getAsLong());
    }

    // ---- for operators

    private void told(String user, String reason) {
        boolean held = rules().watch() == AccountWatch.HOLD;
        log.warn("event=account-suspicious user={} reason=\"{}\" next=\"{}\"", LogText.word(user), LogText.text(reason),
                held ? "its mail is held until mta user release" : "look at its mail, then mta user release");
        if (held) {
            tell(MailEventKind.ACCOUNT_HELD, user, reason);
        }
    }

    /// The hold itself is in the file of accounts, so an event that cannot be written stops nothing.
    private void tell(MailEventKind kind, String user, String text) {
        long now = clock.getAsLong();
        SequencedMap<String, String> fields = new LinkedHashMap<>();
        fields.put("user", user);
        fields.put("text", text);
        try {
            events.tell(new UnloggedEvent(kind, kind.word() + "-" + user + "-" + now, now, fields));
        } catch (IOException trouble) {
            log.warn("event=events-not-written error=\"{}\" next=\"an event of an account is missing\"",
                    LogText.text(FailureWords.of(trouble)));
        }
    }

    @Override
    public Optional<AccountView> account(String name) {
        return book.show(name, rules(), clock.getAsLong()).map(this::view);
    }

    @Override
    public List<AccountView> suspicious() {
        return book.suspicious(rules(), clock.getAsLong()).stream().map(this::view).toList();
    }

    private AccountView view(AccountState of) {
        return new AccountView(of.name(), stateOf(of),
                of.suspicious().map(reason -> time(of.suspiciousSinceMillis()) + ": " + reason).orElse(""),
                time(of.sinceMillis()), time(of.lastMillis()), new RateView(of.minute(), of.capMinute()),
                new RateView(of.hour(), of.capHour()), new RateView(of.day(), of.capDay()), of.busiestHour(),
                of.refused(), of.complaints(), of.spam(), of.networks().stream()
                        .map(each -> new NetworkView(each.getKey(), time(each.getValue()))).toList());
    }

    private String stateOf(AccountState of) {
        return of.suspicious().isEmpty() ? "usual" : rules().watch() == AccountWatch.HOLD ? "held" : "suspicious";
    }

    private static String time(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }

    @Override
    public boolean release(AccountVerb.Release order) {
        boolean was = book.release(order.name(), clock.getAsLong());
        if (was) {
            log.info("event=account-released user={} author=\"{}\" mail={}", LogText.word(order.name()),
                    LogText.text(order.author()), order.delete() ? "deleted" : "released");
            tell(MailEventKind.ACCOUNT_RELEASED, order.name(), order.author());
        }
        return was;
    }

    /// The users whose mail is unlike before.
    public List<TroubleView> troubles() {
        if (rules().watch() == AccountWatch.OFF) {
            return List.of();
        }
        List<AccountState> all = book.suspicious(rules(), clock.getAsLong());
        List<TroubleView> told = new ArrayList<>();
        all.stream().limit(MOST_TROUBLES).forEach(each -> told.add(new TroubleView("account",
                time(each.suspiciousSinceMillis()),
                "mail of user " + LogText.word(each.name())
                        + (rules().watch() == AccountWatch.HOLD ? " is held" : " goes on")
                        + "; mta user show, then mta user release",
                each.suspicious().orElse(""))));
        return told;
    }
}
