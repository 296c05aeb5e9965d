package org.slipstream.events.account;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.events.account.AccountBook.Counted;
import org.slipstream.events.account.AccountSettings.AccountWatch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Users and domains within their caps, and mail that is unlike before. The time is virtual.
class AccountBookTest {
    private static final long BEGIN = Instant.parse("2026-11-02T08:00:00Z").toEpochMilli();
    private static final long SECOND = 1_000;
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final String HOME = "192.0.0.0/16";
    private static final List<String> ANN = List.of("ann");

    @TempDir
    Path home;

    private long now = BEGIN;
    private AccountBook book;
    private AccountRules rules = rules(AccountWatch.HOLD, 0, 0, 0);

    @BeforeEach
    void open() throws IOException {
        book = new AccountFile(home).read(now);
    }

    private static AccountRules rules(AccountWatch watch, int minute, int hour, int day) {
        return new AccountRules(new AccountSettings(watch, 100, minute, hour, day, minute, hour, day), Map.of());
    }

    private boolean sends(List<String> names, int recipients) {
        return book.count(names, recipients, HOME, rules, now) instanceof Counted.Sent;
    }

    private Optional<String> held() {
        return book.suspicion("ann");
    }

    private void restart() throws IOException {
        new AccountFile(home).write(book);
        book = new AccountFile(home).read(now);
    }

    /// Mail of an ordinary user: in the morning, from home.
    private void days(int count) {
        for (int i = 0; i < count; i++) {
            for (int message = 0; message < 10; message++) {
                assertThat(sends(ANN, 3)).isTrue();
                now += 60 * SECOND;
            }
            now += DAY - 600 * SECOND;
        }
    }

    // ---- caps

    @Test
    void eachCapCountsWithinItsTime() {
        rules = rules(AccountWatch.OFF, 10, 0, 0);
        capIsTen(65 * SECOND);
        rules = rules(AccountWatch.OFF, 0, 10, 0);
        capIsTen(HOUR + HOUR / 12);
        rules = rules(AccountWatch.OFF, 0, 0, 10);
        capIsTen(DAY + DAY / 24);
    }

    private void capIsTen(long over) {
        now += 3 * DAY;
        assertThat(sends(ANN, 11)).isFalse();
        assertThat(sends(ANN, 6)).isTrue();
        assertThat(book.refusal(ANN, 4, rules, now)).isEmpty();
        assertThat(book.refusal(ANN, 5, rules, now)).isPresent();
        assertThat(sends(ANN, 4)).isTrue();
        assertThat(sends(ANN, 1)).isFalse();
        assertThat(book.refusal(List.of("bob"), 10, rules, now)).as("another user").isEmpty();
        now += over;
        assertThat(sends(ANN, 10)).isTrue();
    }

    /// With any times of messages, no time as long as that of a cap has more than the cap.
    @Test
    void aCapIsNeverExceededWithinItsTime() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        rules = rules(AccountWatch.OFF, 50, 0, 0);
        long[] times = new long[2_000];
        int[] counts = new int[times.length];
        int last = 0;
        int from = 0;
        long within = 0;
        while (last < times.length) {
            now += random.nextInt(5_000);
            int recipients = 1 + random.nextInt(20);
            if (sends(ANN, recipients)) {
                times[last] = now;
                counts[last++] = recipients;
                within += recipients;
                while (times[from] <= now - 60 * SECOND) {
                    within -= counts[from++];
                }
                assertThat(within).as("seed %s", seed).isLessThanOrEqualTo(50);
            }
        }
    }

    @Test
    void aDomainHasCapsOfItsOwnAndSomeUsersHaveOthers() {
        rules = new AccountRules(new AccountSettings(AccountWatch.OFF, 100, 0, 10, 0, 0, 15, 0),
                Map.of("bulk", new AccountClause(Optional.empty(), Optional.of(0), Optional.of(40), Optional.empty()),
                        "@big.example",
                        new AccountClause(Optional.empty(), Optional.of(30), Optional.empty(), Optional.empty())));
        assertThat(sends(List.of("ann", "@shop.example"), 10)).isTrue();
        assertThat(sends(List.of("bob", "@shop.example"), 6)).isFalse();
        assertThat(sends(List.of("bob", "@shop.example"), 5)).as("nothing was counted before").isTrue();
        assertThat(sends(List.of("bulk", "@big.example"), 30)).isTrue();
        assertThat(book.count(List.of("bulk", "@big.example"), 1, HOME, rules, now))
                .isEqualTo(new Counted.Refused("@big.example", new CapReached(30, "hour")));
        assertThat(book.count(List.of("bulk", "@else.example"), 11, HOME, rules, now))
                .isEqualTo(new Counted.Refused("bulk", new CapReached(40, "day")));
    }

    @Test
    void aRestartKeepsTheCounts() throws IOException {
        rules = rules(AccountWatch.HOLD, 0, 0, 10);
        assertThat(sends(ANN, 8)).isTrue();
        book.complained("ann", now);
        restart();
        assertThat(sends(ANN, 3)).isFalse();
        assertThat(sends(ANN, 2)).isTrue();
        assertThat(book.show("ann", rules, now)).get().satisfies(state -> {
            assertThat(state.complaints()).isOne();
            assertThat(state.day()).isEqualTo(10);
            assertThat(state.networks()).containsExactly(Map.entry(HOME, now));
        });
    }

    @Test
    void aClockThatGoesBackIsNoWayAroundACap() {
        rules = rules(AccountWatch.OFF, 10, 0, 0);
        assertThat(sends(ANN, 10)).isTrue();
        now -= DAY;
        assertThat(sends(ANN, 1)).isFalse();
    }

    // ---- unlike before

    @Test
    void moreMailThanEverIsSuspiciousAndUsualMailIsNot() {
        days(8);
        assertThat(sends(ANN, 150)).as("five times the busiest hour").isTrue();
        assertThat(held()).isEmpty();
        Counted counted = book.count(ANN, 1, HOME, rules, now);
        assertThat(counted).isEqualTo(new Counted.Sent(held(), true));
        assertThat(held()).contains("151 recipients within an hour, and 30 in the busiest hour of 14 days before");
    }

    @Test
    void theFifthPartOfAnEarlierHourIsUsual() {
        days(8);
        now += DAY;
        rules = rules(AccountWatch.OFF, 0, 0, 0);
        assertThat(sends(ANN, 100)).isTrue();
        rules = rules(AccountWatch.HOLD, 0, 0, 0);
        now += DAY;
        assertThat(sends(ANN, 500)).isTrue();
        assertThat(held()).isEmpty();
        assertThat(sends(ANN, 1)).isTrue();
        assertThat(held()).isPresent();
    }

    @Test
    void aUserWhoNeverSentIsSuspiciousInAnOldBookOnly() {
        assertThat(sends(ANN, 500)).isTrue();
        assertThat(held()).isEmpty();
        now += AccountBook.LEARNING.toMillis();
        assertThat(sends(List.of("quiet"), 101)).isTrue();
        assertThat(book.suspicion("quiet")).isPresent();
    }

    @Test
    void manyRefusalsAreSuspicious() {
        assertThat(sends(ANN, 80)).isTrue();
        refusals(19);
        assertThat(held()).isEmpty();
        refusals(1);
        assertThat(held()).contains("20 of 80 recipients were refused within an hour");
    }

    @Test
    void fewRefusalsOfManyAreNot() {
        assertThat(sends(ANN, 81)).isTrue();
        refusals(20);
        assertThat(held()).isEmpty();
        now += 2 * HOUR;
        refusals(19);
        assertThat(held()).as("an hour later").isEmpty();
    }

    private void refusals(int count) {
        for (int i = 0; i < count; i++) {
            book.refused("ann", rules, now);
        }
    }

    @Test
    void spamIsSuspicious() {
        for (int i = 0; i < 10; i++) {
            assertThat(sends(ANN, 1)).isTrue();
        }
        for (int i = 0; i < 4; i++) {
            assertThat(book.spam("ann", rules, now)).isEmpty();
        }
        assertThat(book.spam("ann", rules, now)).contains("5 of 10 messages within an hour are spam");
    }

    @Test
    void manyNewNetworksAreSuspicious() {
        days(8);
        for (int i = 1; i < AccountBook.NEW_NETWORKS; i++) {
            book.count(ANN, 1, "198.51." + i + ".0/16", rules, now);
        }
        assertThat(held()).isEmpty();
        book.count(ANN, 1, "198.51.1.0/16", rules, now);
        assertThat(held()).as("a network that is known by now").isEmpty();
        book.count(ANN, 1, "203.0.0.0/16", rules, now);
        assertThat(held()).contains("mail from 5 new networks within a day");
    }

    @Test
    void aReleaseMakesItUsual() throws IOException {
        days(8);
        assertThat(sends(ANN, 200)).isTrue();
        refusals(100);
        assertThat(held()).isPresent();
        restart();
        assertThat(held()).as("after a restart").isPresent();
        assertThat(book.suspicious(rules, now)).singleElement().satisfies(
                state -> assertThat(state.name()).isEqualTo("ann"));
        assertThat(book.release("ann", now)).isTrue();
        assertThat(book.release("ann", now)).isFalse();
        assertThat(sends(ANN, 200)).isTrue();
        assertThat(held()).isEmpty();
        refusals(19);
        assertThat(held()).isEmpty();
    }

    @Test
    void nothingIsSuspiciousWithoutTheSetting() {
        rules = rules(AccountWatch.OFF, 0, 0, 0);
        days(8);
        assertThat(sends(ANN, 100_000)).isTrue();
        refusals(100_000);
        assertThat(held()).isEmpty();
        assertThat(sends(ANN, Integer.MAX_VALUE)).as("no sum overflows").isTrue();
        assertThat(book.show("ann", rules, now).orElseThrow().hour()).isPositive();
    }

    // ---- bounds

    @Test
    void inventedDomainsReplaceEachOtherAndNoUser() throws IOException {
        rules = rules(AccountWatch.HOLD, 0, 0, 5);
        assertThat(sends(ANN, 5)).isTrue();
        IntStream.range(0, AccountBook.MOST + 50).forEach(i -> {
            now++;
            book.count(List.of("@" + i + ".example"), 1, HOME, rules, now);
        });
        assertThat(sends(ANN, 1)).isFalse();
        assertThat(book.show("@0.example", rules, now)).isEmpty();
        assertThat(book.show("@" + (AccountBook.MOST + 49) + ".example", rules, now)).isPresent();
        restart();
        try (var lines = Files.lines(home.resolve("accounts"))) {
            assertThat(lines.count()).isEqualTo(AccountBook.MOST + 1);
        }
    }

    @Test
    void hostileNamesAndNetworksAreBounded() throws IOException {
        List<String> names = List.of("x".repeat(10_000), " \n;=,\0 \u202e");
        names.forEach(name -> assertThat(sends(List.of(name), 1)).isTrue());
        IntStream.range(0, 1_000).forEach(i -> book.count(ANN, 1, i + ".0.0.0/16", rules, now));
        restart();
        names.forEach(name -> assertThat(book.show(name, rules, now)).isPresent());
        assertThat(book.show("ann", rules, now).orElseThrow().networks()).hasSize(Account.MOST_NETWORKS)
                .first().isEqualTo(Map.entry("999.0.0.0/16", now));
    }

    @Test
    void damagedLinesAreLeftOutAndTheOthersCount() throws IOException {
        rules = rules(AccountWatch.OFF, 0, 0, 5);
        assertThat(sends(ANN, 5)).isTrue();
        restart();
        Files.writeString(home.resolve("accounts"), "\n1 x y\n1 " + "1 ".repeat(12) + "\nnothing",
                StandardOpenOption.APPEND);
        book = new AccountFile(home).read(now);
        assertThat(sends(ANN, 1)).isFalse();
        Files.delete(home.resolve("accounts"));
        Files.createDirectory(home.resolve("accounts"));
        assertThatThrownBy(() -> new AccountFile(home).read(now)).isInstanceOf(IOException.class);
    }
}
