package org.slipstream.server.operate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.SuppressionOperations;
import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.core.order.SuppressionVerb;
import org.slipstream.core.queue.Outcome;
import org.slipstream.events.bounce.BounceSettings.SuppressedRecipient;
import org.slipstream.events.suppression.Suppression;
import org.slipstream.events.suppression.SuppressionList;
import org.slipstream.server.dispatch.SuppressedRecipients;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Ruling;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// The list of suppressions at work: as a check of the listener, before each attempt, after each refusal, and for
/// orders of operators.
public final class SuppressionControl implements SuppressionOperations, SuppressedRecipients, Check {
    private static final Logger log = LoggerFactory.getLogger(SuppressionControl.class);

    private static final long TOLD_EVERY_MILLIS = 60_000;

    private final SuppressionList list;
    private final Supplier<Config> config;
    private final LongSupplier clock;
    private final AtomicLong toldMillis = new AtomicLong();

    /// @param config in force
    public SuppressionControl(SuppressionList list, Supplier<Config> config, LongSupplier clock) {
        this.list = list;
        this.config = config;
        this.clock = clock;
    }

    // ---- before an attempt

    @Override
    public boolean isEmpty() {
        return list.isEmpty();
    }

    @Override
    public Optional<Reply> reply(Optional<Address> sender, Address recipient) {
        try {
            return list.of(sender, recipient, clock.getAsLong())
                    .map(found -> Reply.of(550, "5.7.1", "the recipient is suppressed: " + found.words()));
        } catch (IOException trouble) {
            // All mail would wait for a list that may concern none of it.
            tell(trouble);
            return Optional.empty();
        }
    }

    private void tell(IOException trouble) {
        long now = clock.getAsLong();
        if (toldMillis.updateAndGet(last -> now - last >= TOLD_EVERY_MILLIS ? now : last) == now) {
            log.error("event=suppressions-not-read next=\"mail goes on without the list\" error=\"{}\"",
                    LogText.text(String.valueOf(trouble.getMessage())));
        }
    }

    // ---- after an attempt

    @Override
    public boolean counts(Outcome outcome) {
        return config.get().bounces().suppressAfter() > 0 && switch (outcome) {
            case Outcome.Delivered _ -> list.countsRefusals();
            case Outcome.Deferred _ -> false;
            case Outcome.Failed _ -> true;
        };
    }

    @Override
    public void decided(Address recipient, Outcome outcome) {
        try {
            count(recipient, outcome);
        } catch (IOException trouble) {
            tell(trouble);
        }
    }

    /// A report that came back says that the recipient was refused.
    public void returned(Address recipient, Outcome outcome) {
        if (counts(outcome)) {
            decided(recipient, outcome);
        }
    }

    private void count(Address recipient, Outcome outcome) throws IOException {
        if (outcome instanceof Outcome.Delivered) {
            list.delivered(recipient);
            return;
        }
        Config settings = config.get();
        if (settings.bounceClasses().of(outcome.reply()).isOfDeadAddress()) {
            long now = clock.getAsLong();
            list.refused(recipient, outcome.reply().toString(), settings.bounces().suppressAfter(), now,
                    now + settings.bounces().suppressFor().toMillis())
                    .ifPresent(entry -> log.info("event=recipient-suppressed recipient={} until={} reason=\"{}\"",
                            LogText.path(recipient), Instant.ofEpochMilli(entry.untilMillis()),
                            LogText.text(entry.origin())));
        }
    }

    // ---- in a session

    @Override
    public String name() {
        return "suppressions";
    }

    /// A client that may not relay gets the same reply for each recipient elsewhere, so the list stays private.
    @Override
    public Ruling rcpt(Client client, Rcpt rcpt) {
        Config settings = config.get();
        String domain = rcpt.recipient().domainKey();
        boolean asks = client.user().isPresent() || settings.relay().contains(client.address())
                || settings.local().domains().contains(domain) || settings.relay().domains().contains(domain);
        return asks && settings.bounces().suppressedRecipient() == SuppressedRecipient.REFUSE
                ? reply(rcpt.sender(), rcpt.recipient()).<Ruling>map(Ruling.Refuse::new).orElseGet(Ruling::pass)
                : Ruling.pass();
    }

    // ---- orders

    @Override
    public SuppressionPart suppressions(Optional<String> after, String text, int limit) throws IOException {
        SuppressionList.SuppressionPage page = list.page(after, text, limit, clock.getAsLong());
        return new SuppressionPart(page.entries().stream().map(SuppressionControl::view).toList(), list.count(),
                page.next());
    }

    private static SuppressionView view(Suppression entry) {
        return new SuppressionView(entry.recipient(), entry.senderDomain(), entry.cause().word(), entry.origin(),
                Instant.ofEpochMilli(entry.sinceMillis()).toString(),
                entry.untilMillis() == Long.MAX_VALUE ? "" : Instant.ofEpochMilli(entry.untilMillis()).toString());
    }

    @Override
    public List<String> order(SuppressionVerb order) throws IOException {
        List<String> recipients = new ArrayList<>();
        for (String each : order.each()) {
            recipients.add(Suppression.recipientOf(each).orElseThrow(
                    () -> new IllegalArgumentException("\"" + each + "\" is neither an address nor a domain")));
        }
        String from = order.from().isEmpty() ? "" : domain(order.from());
        List<String> done = switch (order) {
            case SuppressionVerb.Add add -> {
                List<Suppression> entries = recipients.stream().map(each -> new Suppression(each, from, add.cause(),
                        add.origin(), clock.getAsLong(), add.untilMillis())).toList();
                list.add(entries);
                yield recipients;
            }
            case SuppressionVerb.Remove _ ->
                list.remove(recipients, from).stream().map(Suppression::recipient).toList();
        };
        log.info("event=suppressions-changed order={} recipients={} first={} from={}", done(order),
                done.size(), LogText.word(recipients.getFirst()), LogText.word(from));
        return done;
    }

    private static String done(SuppressionVerb order) {
        return switch (order) {
            case SuppressionVerb.Add _ -> "add";
            case SuppressionVerb.Remove _ -> "remove";
        };
    }

    private static String domain(String from) {
        return Suppression.recipientOf(from).filter(domain -> domain.indexOf('@') < 0).orElseThrow(
                () -> new IllegalArgumentException("\"" + from + "\" is not the domain of a sender"));
    }
}
