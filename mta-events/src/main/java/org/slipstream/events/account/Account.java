package org.slipstream.events.account;

import org.slipstream.events.account.AccountRules.AccountCaps;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The counts of one account. [AccountBook] has the lock.
final class Account {
    /// Of networks that are remembered; the one that was used longest ago goes first.
    static final int MOST_NETWORKS = 32;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int DAYS = 14;
    private static final String FORM = "1";
    private static final int FIELDS = 14;

    final SlidingCount minute = new SlidingCount(Duration.ofMinutes(1), 12);
    final SlidingCount hour = new SlidingCount(HOUR, 12);
    final SlidingCount day = new SlidingCount(DAY, 24);
    final SlidingCount messages = new SlidingCount(HOUR, 12);
    final SlidingCount refused = new SlidingCount(HOUR, 12);
    final SlidingCount refusedDay = new SlidingCount(DAY, 24);
    final SlidingCount spam = new SlidingCount(HOUR, 12);
    final SlidingCount complaints = new SlidingCount(DAY, 24);
    /// Recipients within the busiest hour of each day.
    final SlidingCount busiest = new SlidingCount(Duration.ofDays(DAYS), DAYS);
    final Map<String, NetworkUse> networks = new LinkedHashMap<>();
    long sinceMillis;
    long lastMillis;
    Optional<Suspicion> suspicion = Optional.empty();

    record NetworkUse(long firstMillis, long lastMillis) {}

    /// @param sinceMillis the mail is unlike before
    /// @param reason in words
    record Suspicion(long sinceMillis, String reason) {}

    Account(long nowMillis) {
        sinceMillis = nowMillis;
        lastMillis = nowMillis;
    }

    /// A domain of senders has an `@` in front.
    static boolean isDomain(String name) {
        return name.startsWith("@");
    }

    /// The cap that so many more recipients would exceed.
    Optional<CapReached> reached(int more, AccountCaps caps, long nowMillis) {
        return over(minute, more, caps.perMinute(), "minute", nowMillis)
                .or(() -> over(hour, more, caps.perHour(), "hour", nowMillis))
                .or(() -> over(day, more, caps.perDay(), "day", nowMillis));
    }

    private static Optional<CapReached> over(SlidingCount sent, int more, int cap, String time, long nowMillis) {
        return cap > 0 && sent.sum(nowMillis) + more > cap ? Optional.of(new CapReached(cap, time)) : Optional.empty();
    }

    void sent(int recipients, long nowMillis) {
        minute.add(nowMillis, recipients);
        hour.add(nowMillis, recipients);
        day.add(nowMillis, recipients);
        messages.add(nowMillis, 1);
        busiest.raise(nowMillis, (int) Math.min(Integer.MAX_VALUE, hour.sum(nowMillis)), 0);
        lastMillis = nowMillis;
    }

    void cameFrom(String network, long nowMillis) {
        NetworkUse before = networks.remove(network);
        networks.put(network, new NetworkUse(before == null ? nowMillis : before.firstMillis(), nowMillis));
        if (networks.size() > MOST_NETWORKS) {
            networks.remove(networks.keySet().iterator().next());
        }
    }

    long newNetworks(long nowMillis) {
        return networks.values().stream().filter(each -> nowMillis - each.firstMillis() < DAY.toMillis()).count();
    }

    /// An operator has looked: from now on this is usual.
    void trust(long nowMillis) {
        suspicion = Optional.empty();
        refused.clear();
        spam.clear();
        networks.replaceAll((_, use) -> new NetworkUse(nowMillis - DAY.toMillis(), use.lastMillis()));
        // Today is not compared.
        busiest.raise(nowMillis, (int) Math.min(Integer.MAX_VALUE, hour.sum(nowMillis)), 1);
    }

    // ---- as a line

    String line(String name) {
        return String.join(" ", FORM, encoded(name), Long.toString(sinceMillis), Long.toString(lastMillis),
                suspicion.map(each -> each.sinceMillis() + ":" + encoded(each.reason())).orElse("-"),
                minute.text(), hour.text(), day.text(), messages.text(),
                refused.text() + ";" + refusedDay.text(), spam.text(), complaints.text(), busiest.text(),
                networks.isEmpty()
                        ? "-"
                        : networks.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue().firstMillis()
                                + "=" + each.getValue().lastMillis()).collect(Collectors.joining(";")));
    }

    static Map.Entry<String, Account> read(String line) {
        String[] fields = line.split(" ", -1);
        if (fields.length != FIELDS || !fields[0].equals(FORM)) {
            throw new IllegalArgumentException("not a line of an account");
        }
        Account account = new Account(Long.parseLong(fields[2]));
        account.lastMillis = Long.parseLong(fields[3]);
        if (!fields[4].equals("-")) {
            String[] suspicion = fields[4].split(":", 2);
            account.suspicion = Optional.of(new Suspicion(Long.parseLong(suspicion[0]), decoded(suspicion[1])));
        }
        String[] refusals = fields[9].split(";", 2);
        account.minute.read(fields[5]);
        account.hour.read(fields[6]);
        account.day.read(fields[7]);
        account.messages.read(fields[8]);
        account.refused.read(refusals[0]);
        account.refusedDay.read(refusals[1]);
        account.spam.read(fields[10]);
        account.complaints.read(fields[11]);
        account.busiest.read(fields[12]);
        for (String each : fields[13].equals("-") ? List.<String>of() : List.of(fields[13].split(";"))) {
            String[] use = each.split("=", 3);
            account.networks.put(use[0], new NetworkUse(Long.parseLong(use[1]), Long.parseLong(use[2])));
        }
        return Map.entry(decoded(fields[1]), account);
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String text) {
        return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
    }
}
