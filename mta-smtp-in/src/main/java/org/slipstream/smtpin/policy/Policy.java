package org.slipstream.smtpin.policy;

import org.slipstream.core.Address;
import org.slipstream.core.Reply;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/// The checks of a service in order. The first that accepts or refuses decides; tags are collected
/// on the way.
public final class Policy {
    /// @param refusal the reply to the client, empty when accepted
    /// @param decider the check that decided, empty when none did
    /// @param tags set by the checks that were asked
    /// @param header the changes of these checks
    /// @param hold the first reason to hold the message, and the check that has it
    public record Verdict(Optional<Reply> refusal, Optional<String> decider, List<Tag> tags, HeaderChange header,
            Optional<Tag> hold) {
        public Verdict {
            tags = List.copyOf(tags);
        }
    }

    private static final Verdict NOTHING = new Verdict(Optional.empty(), Optional.empty(), List.of(),
            HeaderChange.NONE, Optional.empty());

    private final List<Check> checks;
    private final boolean readsHeader;

    public Policy(List<Check> checks) {
        this.checks = List.copyOf(checks);
        this.readsHeader = checks.stream().anyMatch(Check::readsHeader);
    }

    /// The checks of every port on the Internet.
    public static Policy standard() {
        return new Policy(List.of(new EarlyTalker()));
    }

    public Verdict connect(Client client, boolean early) {
        return ask(check -> check.connect(client, early));
    }

    public Verdict hello(Client client) {
        return ask(check -> check.hello(client));
    }

    public Verdict mail(Client client, Optional<Address> sender, long declaredBytes) {
        return ask(check -> check.mail(client, sender, declaredBytes));
    }

    public Verdict rcpt(Client client, Check.Rcpt rcpt) {
        return ask(check -> check.rcpt(client, rcpt));
    }

    /// Each check sees the header as those before it have changed it.
    public Verdict end(Client client, Check.CheckedMessage message) {
        return ask((check, change) -> check.end(client, message.changed(change)));
    }

    public boolean readsHeader() {
        return readsHeader;
    }

    private Verdict ask(Function<Check, Ruling> question) {
        return ask((check, _) -> question.apply(check));
    }

    private Verdict ask(BiFunction<Check, HeaderChange, Ruling> question) {
        List<Tag> tags = new ArrayList<>(0);
        HeaderChange header = HeaderChange.NONE;
        Optional<Tag> hold = Optional.empty();
        for (Check check : checks) {
            switch (question.apply(check, header)) {
                case Ruling.Pass(Optional<String> tag, HeaderChange change, Optional<String> reason) -> {
                    tag.ifPresent(text -> tags.add(new Tag(check.name(), text)));
                    header = header.and(change);
                    hold = hold.or(() -> reason.map(text -> new Tag(check.name(), text)));
                }
                case Ruling.Accept() -> {
                    return new Verdict(Optional.empty(), Optional.of(check.name()), tags, header, hold);
                }
                case Ruling.Refuse(Reply reply) -> {
                    return new Verdict(Optional.of(reply), Optional.of(check.name()), tags, header, hold);
                }
            }
        }
        return tags.isEmpty() && header.isEmpty()
                ? NOTHING
                : new Verdict(Optional.empty(), Optional.empty(), tags, header, hold);
    }
}
