package org.slipstream.events.account;

import org.slipstream.events.account.Account.Suspicion;
import org.slipstream.events.account.AccountRules.AccountCaps;
import org.slipstream.events.account.AccountSettings.AccountWatch;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Counts the mail that users and domains of senders send, and knows whether a user's mail is as before. Pure: the time
/// comes with each call. May be called by any thread.
///
/// **When mail is unlike before.** A mailbox that was broken into shows it in four ways, and one of them is enough:
///
/// | Rule | When |
/// |---|---|
/// | rate | recipients within an hour are more than `usual-per-hour`, and more than five times those of the busiest hour of the last 14 days |
/// | refusals | 20 recipients or more were refused for good within an hour, and a quarter of those that were named |
/// | networks | mail comes from five networks or more within a day that had not been seen before |
/// | spam | Rspamd called five messages or more spam within an hour, and half of all |
///
/// Rate and networks compare with the past, so they hold only when the book is a week old; then the past of a user that
/// never sent is known, too. Whole days are compared: today does not become usual while it grows.
public final class AccountBook {
    /// Of accounts that are remembered. An attacker with a login can invent domains, so the domain that was used
    /// longest ago goes first, and a user only when there are no domains.
    static final int MOST = 20_000;
    static final Duration LEARNING = Duration.ofDays(7);
    static final int FACTOR = 5;
    static final int REFUSALS = 20;
    static final int NEW_NETWORKS = 5;
    static final int SPAM = 5;
    private static final int LONGEST_NAME = 320;

    private final Map<String, Account> accounts = new HashMap<>();
    private final long begunMillis;
    private boolean changed;

    /// The result of counting a message.
    public sealed interface Counted {
        /// Nothing was counted.
        ///
        /// @param account whose cap it is
        record Refused(String account, CapReached cap) implements Counted {}

        /// @param suspicious the reason why the user's mail is unlike before
        /// @param news true for the message that showed it
        record Sent(Optional<String> suspicious, boolean news) implements Counted {}
    }

    /// The state of an account for people.
    ///
    /// @param minute recipients within the last one, as `hour` and `day`
    /// @param busiestHour recipients within the busiest hour of the 14 days before today
    /// @param refused recipients that were refused for good within a day
    /// @param complaints within a day
    /// @param spam messages within an hour
    /// @param networks those of its mail, the latest first, with the time of the last message
    public record AccountState(String name, long sinceMillis, long lastMillis, Optional<String> suspicious,
            long suspiciousSinceMillis, long minute, long hour, long day, int capMinute, int capHour, int capDay,
            int busiestHour, long refused, long complaints, long spam, List<Map.Entry<String, Long>> networks) {}

    /// @param begunMillis when the first account was counted
    AccountBook(long begunMillis, Map<String, Account> accounts) {
        this.begunMillis = begunMillis;
        this.accounts.putAll(accounts);
    }

    /// The account of a domain of senders.
    public static String ofDomain(String domain) {
        return "@" + domain;
    }

    /// The first cap that so many more recipients would exceed. Counts nothing.
    ///
    /// @param names of a user and a domain
    public synchronized Optional<Counted.Refused> refusal(List<String> names, int recipients, AccountRules rules,
            long nowMillis) {
        for (String each : names) {
            Optional<CapReached> cap = Optional.ofNullable(accounts.get(key(each)))
                    .flatMap(account -> account.reached(recipients, rules.caps(key(each)), nowMillis))
                    .or(() -> alone(recipients, rules.caps(key(each)), nowMillis));
            if (cap.isPresent()) {
                return cap.map(found -> new Counted.Refused(each, found));
            }
        }
        return Optional.empty();
    }

    /// One message may have more recipients than an account that has sent nothing may.
    private static Optional<CapReached> alone(int recipients, AccountCaps caps, long nowMillis) {
        return new Account(nowMillis).reached(recipients, caps, nowMillis);
    }

    /// Counts a message, unless it exceeds a cap.
    ///
    /// @param names of a user and a domain
    /// @param network of the client
    public synchronized Counted count(List<String> names, int recipients, String network, AccountRules rules,
            long nowMillis) {
        Optional<Counted.Refused> refusal = refusal(names, recipients, rules, nowMillis);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        Optional<String> suspicious = Optional.empty();
        boolean news = false;
        for (String each : names) {
            Account account = account(each, nowMillis);
            account.sent(recipients, nowMillis);
            if (!Account.isDomain(each)) {
                account.cameFrom(network, nowMillis);
                news |= judge(key(each), account, rules, nowMillis).isPresent();
                suspicious = suspicious.or(() -> account.suspicion.map(Suspicion::reason));
            }
        }
        changed = true;
        return new Counted.Sent(suspicious, news);
    }

    /// Counts a recipient that was refused for good.
    ///
    /// @return the reason when this makes the user's mail unlike before
    public synchronized Optional<String> refused(String user, AccountRules rules, long nowMillis) {
        Account account = account(user, nowMillis);
        account.refused.add(nowMillis, 1);
        account.refusedDay.add(nowMillis, 1);
        return judge(key(user), account, rules, nowMillis);
    }

    /// Counts a message that is spam.
    public synchronized Optional<String> spam(String user, AccountRules rules, long nowMillis) {
        Account account = account(user, nowMillis);
        account.spam.add(nowMillis, 1);
        return judge(key(user), account, rules, nowMillis);
    }

    public synchronized void complained(String user, long nowMillis) {
        account(user, nowMillis).complaints.add(nowMillis, 1);
    }

    private Account account(String name, long nowMillis) {
        changed = true;
        Account known = accounts.get(key(name));
        if (known != null) {
            return known;
        }
        if (accounts.size() >= MOST) {
            forgetOne();
        }
        Account made = new Account(nowMillis);
        accounts.put(key(name), made);
        return made;
    }

    private static String key(String name) {
        return name.substring(0, Math.min(LONGEST_NAME, name.length()));
    }

    private void forgetOne() {
        Comparator<Map.Entry<String, Account>> order = Comparator.<Map.Entry<String, Account>, Boolean>comparing(
                each -> each.getValue().suspicion.isPresent())
                .thenComparing(each -> !Account.isDomain(each.getKey()))
                .thenComparing(each -> each.getValue().lastMillis);
        accounts.remove(accounts.entrySet().stream().min(order).orElseThrow().getKey());
    }

    private Optional<String> judge(String name, Account account, AccountRules rules, long nowMillis) {
        if (rules.watch() == AccountWatch.OFF || account.suspicion.isPresent()) {
            return Optional.empty();
        }
        Optional<String> reason = Stream.<Optional<String>>of(refusals(account, nowMillis), spam(account, nowMillis),
                rate(name, account, rules, nowMillis), networks(account, nowMillis)).flatMap(Optional::stream)
                .findFirst();
        reason.ifPresent(why -> account.suspicion = Optional.of(new Suspicion(nowMillis, why)));
        return reason;
    }

    private static Optional<String> refusals(Account account, long nowMillis) {
        long refused = account.refused.sum(nowMillis);
        long named = Math.max(refused, account.hour.sum(nowMillis));
        return refused >= REFUSALS && refused * 4 >= named
                ? Optional.of(refused + " of " + named + " recipients were refused within an hour")
                : Optional.empty();
    }

    private static Optional<String> spam(Account account, long nowMillis) {
        long spam = account.spam.sum(nowMillis);
        long messages = Math.max(spam, account.messages.sum(nowMillis));
        return spam >= SPAM && spam * 2 >= messages
                ? Optional.of(spam + " of " + messages + " messages within an hour are spam")
                : Optional.empty();
    }

    private Optional<String> rate(String name, Account account, AccountRules rules, long nowMillis) {
        long hour = account.hour.sum(nowMillis);
        int busiest = account.busiest.greatest(nowMillis, false);
        return hasLearned(nowMillis) && hour > rules.usualPerHour(name) && hour > (long) FACTOR * busiest
                ? Optional.of(hour + " recipients within an hour, and " + busiest
                        + " in the busiest hour of 14 days before")
                : Optional.empty();
    }

    private Optional<String> networks(Account account, long nowMillis) {
        long fresh = account.newNetworks(nowMillis);
        return hasLearned(nowMillis) && fresh >= NEW_NETWORKS
                ? Optional.of("mail from " + fresh + " new networks within a day")
                : Optional.empty();
    }

    private boolean hasLearned(long nowMillis) {
        return nowMillis - begunMillis >= LEARNING.toMillis();
    }

    /// An operator has looked at the mail of a user: from now on it is usual.
    ///
    /// @return false when it was not suspicious
    public synchronized boolean release(String user, long nowMillis) {
        Account account = accounts.get(key(user));
        if (account == null || account.suspicion.isEmpty()) {
            return false;
        }
        account.trust(nowMillis);
        changed = true;
        return true;
    }

    /// The reason why the mail of a user is held; empty when it is not.
    public synchronized Optional<String> suspicion(String user) {
        return Optional.ofNullable(accounts.get(key(user))).flatMap(each -> each.suspicion).map(Suspicion::reason);
    }

    /// The users whose mail is unlike before, the longest first.
    public synchronized List<AccountState> suspicious(AccountRules rules, long nowMillis) {
        return accounts.entrySet().stream().filter(each -> each.getValue().suspicion.isPresent())
                .map(each -> state(each.getKey(), each.getValue(), rules, nowMillis))
                .sorted(Comparator.comparingLong(AccountState::suspiciousSinceMillis)).toList();
    }

    public synchronized Optional<AccountState> show(String name, AccountRules rules, long nowMillis) {
        return Optional.ofNullable(accounts.get(key(name))).map(each -> state(key(name), each, rules, nowMillis));
    }

    private static AccountState state(String name, Account of, AccountRules rules, long nowMillis) {
        AccountCaps caps = rules.caps(name);
        List<Map.Entry<String, Long>> networks = new ArrayList<>();
        of.networks.forEach((network, use) -> networks.addFirst(Map.entry(network, use.lastMillis())));
        return new AccountState(name, of.sinceMillis, of.lastMillis, of.suspicion.map(Suspicion::reason),
                of.suspicion.map(Suspicion::sinceMillis).orElse(0L), of.minute.sum(nowMillis), of.hour.sum(nowMillis),
                of.day.sum(nowMillis), caps.perMinute(), caps.perHour(), caps.perDay(),
                of.busiest.greatest(nowMillis, false), of.refusedDay.sum(nowMillis), of.complaints.sum(nowMillis),
                of.spam.sum(nowMillis), networks);
    }

    // ---- on disk

    /// The lines of the file, when something has changed since the last call.
    synchronized Optional<List<String>> news() {
        if (!changed) {
            return Optional.empty();
        }
        changed = false;
        List<String> lines = new ArrayList<>(accounts.size() + 1);
        lines.add("begun " + Instant.ofEpochMilli(begunMillis));
        accounts.forEach((name, account) -> lines.add(account.line(name)));
        return Optional.of(lines);
    }

    /// The next call of [#news] has the lines again.
    synchronized void notWritten() {
        changed = true;
    }
}
