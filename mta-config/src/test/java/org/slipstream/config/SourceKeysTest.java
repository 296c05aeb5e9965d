package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpout.source.PoolSettings;
import org.slipstream.smtpout.source.SourceSettings;
import org.slipstream.smtpout.source.SourceTable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The sections `[source.NAME]` and `[pool.NAME]`.
class SourceKeysTest {
    @TempDir
    private Path home;

    private ReadResult read(String toml) throws IOException {
        Files.writeString(home.resolve(SettingsSource.FILE), toml);
        return ConfigReader.read(SettingsSource.in(home), "mail.example.org", List.of());
    }

    private Config accepted(String toml) throws IOException {
        ReadResult result = read(toml);
        assertThat(result).isInstanceOf(ReadResult.Accepted.class);
        return ((ReadResult.Accepted) result).config();
    }

    private List<String> problems(String toml) throws IOException {
        return ((ReadResult.Rejected) read(toml)).problems().stream().map(Problem::toString).toList();
    }

    @Test
    void withoutPoolsMailLeavesByTheUsualAddressesAndIsRoutedByDomain() throws IOException {
        Config config = accepted("[source.a]\naddress-v4 = \"192.0.2.1\"\n");
        assertThat(config.sources().isEmpty()).isTrue();
        assertThat(config.queueManager().routedMessages()).isFalse();
        assertThat(accepted("").sources()).isEqualTo(SourceTable.EMPTY);
    }

    @Test
    void everyKeyIsRead() throws IOException {
        Config config = accepted("""
                [source.a]
                address-v4 = "192.0.2.1"
                address-v6 = "2001:db8::1"
                hostname = "out-a.example.org"
                exit = "socks5://192.0.2.9:1080"
                exit-login = "proxy.login"
                warm-up = "2026-12-01"
                warm-up-days = [10, 20]
                [source.b]
                address-v4 = "192.0.2.2"
                [pool.news]
                sources = ["a:3", "b"]
                senders = ["Shop.Example", "News@Other.Example"]
                users = ["Alice"]
                providers = ["google"]
                overflow = "wait"
                [destination."far.example"]
                pool = "news"
                """);
        SourceSettings a = config.sources().sources().get("a");
        assertThat(a.addresses()).hasSize(2);
        assertThat(a.hostname()).contains("out-a.example.org");
        assertThat(a.exit()).map(Object::toString).contains("socks5://192.0.2.9:1080");
        assertThat(a.warmUp()).contains(LocalDate.of(2026, 12, 1));
        assertThat(a.warmUpDays()).containsExactly(10, 20);
        SourceSettings b = config.sources().sources().get("b");
        assertThat(b.schedule()).isEmpty();
        assertThat(b.warmUpDays()).hasSize(14).startsWith(50, 100, 200).endsWith(409_600);
        PoolSettings pool = config.sources().pools().get("news");
        assertThat(pool.sources()).map(Object::toString).containsExactly("a:3", "b:1");
        assertThat(pool.senders()).first().isEqualTo("shop.example");
        assertThat(pool.users()).containsExactly("Alice");
        assertThat(pool.overflow()).isEqualTo(PoolSettings.Overflow.WAIT);
        assertThat(config.queueManager().routedMessages()).isTrue();
    }

    @Test
    void namesThatLeadNowhereAreToldWithTheirPlace() throws IOException {
        assertThat(problems("""
                [source.a]
                address-v4 = "192.0.2.1"
                [pool.p]
                sources = ["a", "c"]
                senders = ["x.example"]
                [pool.q]
                sources = ["a", "a:2"]
                senders = ["x.example"]
                [pool.empty]
                users = ["u"]
                [destination."far.example"]
                pool = "pp"
                """)).anySatisfy(each -> assertThat(each).contains(":4:", "there is no section [source.c]"))
                .anySatisfy(each -> assertThat(each).contains("a stands there twice"))
                .anySatisfy(each -> assertThat(each).contains("\"x.example\" uses the pool p already"))
                .anySatisfy(each -> assertThat(each).contains("pool.empty.sources: a pool has 1 to 64 sources"))
                .anySatisfy(each -> assertThat(each).contains(":12:", "there is no section [pool.pp]"))
                .hasSize(5);
    }

    @Test
    void wrongValuesAreRefused() throws IOException {
        for (String wrong : List.of("address-v4 = \"2001:db8::1\"", "exit = \"http://192.0.2.9:80\"",
                "exit = \"socks5://proxy.example:1080\"", "warm-up = \"soon\"", "warm-up = \"2026-13-01\"",
                "warm-up-days = [0]", "warm-up-days = []", "hostname = \"a b\"", "exit-login = \"file\"",
                "warm-up-days = [" + "1, ".repeat(SourceSettings.MOST_DAYS) + "1]")) {
            assertThat(problems("[source.a]\n" + wrong + "\n")).as(wrong).isNotEmpty();
        }
        assertThat(problems("[source.Upper]\nhostname = \"a.example\"\n")).isNotEmpty();
        assertThat(accepted("[source.a]\nwarm-up-days = [" + "1, ".repeat(SourceSettings.MOST_DAYS - 1) + "1]\n"))
                .isNotNull();
    }

    @Test
    void theNumbersOfSourcesPoolsAndNamesHaveLimits() throws IOException {
        String sources = sections(SourceTable.MOST_SOURCES, "[source.s%d]\naddress-v4 = \"192.0.2.1\"\n");
        String pools = sections(SourceTable.MOST_POOLS, "[pool.p%d]\nsources = [\"s1\"]\n");
        assertThat(accepted(sources + pools).sources().pools()).hasSize(SourceTable.MOST_POOLS);
        assertThat(problems(sources + "[source.more]\naddress-v4 = \"192.0.2.1\"\n")).singleElement().asString()
                .contains("257 sections [source.…], and 256 are possible");
        assertThat(problems(sources + pools + "[pool.more]\nsources = [\"s1\"]\n")).singleElement().asString()
                .contains("65 sections [pool.…], and 64 are possible");
        String members = IntStream.rangeClosed(1, PoolSettings.MOST_MEMBERS + 1).mapToObj(i -> "\"s" + i + "\"")
                .collect(Collectors.joining(", "));
        assertThat(problems(sources + "[pool.p]\nsources = [" + members + "]\n")).isNotEmpty();
        String senders = IntStream.rangeClosed(0, PoolSettings.MOST_NAMES).mapToObj(i -> "\"d" + i + ".example\"")
                .collect(Collectors.joining(", "));
        assertThat(problems(sources + "[pool.p]\nsources = [\"s1\"]\nsenders = [" + senders + "]\n"))
                .singleElement().asString().contains("1000 names are possible");
    }

    private static String sections(int count, String form) {
        return IntStream.rangeClosed(1, count).mapToObj(form::formatted).collect(Collectors.joining());
    }

    @Test
    void aQuestionForARouteNamesTheMessageBehindTheDomainAndTheSender() {
        QueueId id = new QueueId(1_234_567_890_123L);
        assertThat(RouteTable.message("far.example|" + id)).contains(id);
        assertThat(RouteTable.message("far.example/may|@shop.example|" + id)).contains(id);
        assertThat(RouteTable.message("far.example|@shop.example")).isEmpty();
        assertThat(RouteTable.message("far.example")).isEmpty();
    }
}
