package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cli.frame.Exit;
import org.slipstream.guard.dkim.KeyFolder;
import org.slipstream.guard.dkim.KeyFolder.StoredKey;
import org.slipstream.guard.dkim.KeyState;
import org.slipstream.testkit.StubDns;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class DkimCommandsTest {
    @TempDir
    Path home;

    private Console.Ran run(String... words) {
        List<String> all = new ArrayList<>(List.of("dkim"));
        all.addAll(List.of(words));
        return new Console(home).run(all.toArray(String[]::new));
    }

    private List<String> states() throws IOException {
        return KeyFolder.in(home).keys().stream()
                .map(key -> key.key().name().selector() + " " + key.state()).toList();
    }

    private static String zone(Console.Ran ran) {
        return ran.out().lines().filter(line -> !line.startsWith(";")).map(line -> line.replace("\" \"", ""))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    @Test
    void aDomainGetsKeysThatSignWhenDnsHasThem() throws Exception {
        Console.Ran made = run("new", "example.org", "--selector", "s1");
        assertThat(made.exit()).isEqualTo(Exit.DONE);
        assertThat(made.out().lines()).first().isEqualTo("; for the zone of example.org");
        assertThat(made.out().lines()).hasSize(4).element(1).asString()
                .matches("s1-rsa\\._domainkey\\.example\\.org\\. IN TXT \"v=DKIM1; [^\"]{246}\" \"[^\"]+\"");
        try (StubDns empty = StubDns.of("other.org. IN A 192.0.2.1\n")) {
            Console.Ran refused = run("rotate", "example.org", "--resolver", empty.address());
            assertThat(refused.exit()).isEqualTo(Exit.NO);
            assertThat(refused.out()).contains("s1-rsa._domainkey.example.org has no TXT record");
        }
        assertThat(states()).allMatch(each -> each.endsWith(" NEW"));
        try (StubDns dns = StubDns.of(zone(made))) {
            Console.Ran rotated = run("rotate", "example.org", "--resolver", dns.address());
            assertThat(rotated.out()).startsWith("mail from example.org is signed by s1-").contains("s1-ed25519",
                    "s1-rsa");
            assertThat(rotated.exit()).isEqualTo(Exit.DONE);
            Console.Ran next = run("rotate", "example.org", "--resolver", dns.address());
            assertThat(next.exit()).as("it made keys, which wait").isEqualTo(Exit.NO);
        }
        assertThat(states()).filteredOn(each -> each.endsWith(" ACTIVE"))
                .containsExactlyInAnyOrder("s1-rsa ACTIVE", "s1-ed25519 ACTIVE");
        assertThat(states()).hasSize(4);
        assertThat(run("rotate", "example.org", "--force").out())
                .contains("s1-rsa signs no more; its record s1-rsa._domainkey.example.org may go after ");
        assertThat(run("list").out()).contains("s1-rsa", "retired", "active");
        assertThat(run("list", "other.org").out()).contains("no keys");
    }

    @Test
    void aRecordWithAnotherKeyLetsNothingSign() throws Exception {
        run("new", "example.org", "--selector", "s", "--algorithm", "rsa");
        String other = zone(run("new", "example.net", "--selector", "s", "--algorithm", "rsa"));
        try (StubDns dns = StubDns.of(other.replace("example.net", "example.org"))) {
            assertThat(run("rotate", "example.org", "--resolver", dns.address(), "--json").out())
                    .contains("\"waiting\":[\"the record of s._domainkey.example.org has another key\"]");
        }
        assertThat(states()).containsOnly("s NEW");
    }

    @Test
    void theOnlyKeyStaysUnlessForced() throws Exception {
        run("new", "example.org", "--selector", "s", "--algorithm", "ed25519");
        run("rotate", "example.org", "--force");
        Console.Ran refused = run("retire", "example.org", "s");
        assertThat(refused.exit()).isEqualTo(Exit.NO);
        assertThat(refused.err()).contains("the only key").contains("--force");
        assertThat(run("retire", "example.org", "s", "--force").out()).contains("may go after");
        assertThat(states()).containsExactly("s RETIRED");
        StoredKey key = KeyFolder.in(home).keys().getFirst();
        Files.setLastModifiedTime(home.resolve("dkim/example.org/s.retired"),
                FileTime.from(Instant.now().minus(Duration.ofDays(8))));
        assertThat(key.state()).isEqualTo(KeyState.RETIRED);
        assertThat(run("retire", "example.org", "s").out()).contains("s is deleted");
        assertThat(states()).isEmpty();
    }

    @Test
    void wrongUsageIsTold() {
        for (String[] wrong : new String[][]{{"new", "not a domain"}, {"new", "../etc"},
                {"new", "example.org", "--algorithm", "dsa"}, {"new", "example.org", "--selector", "../x"},
                {"retire", "example.org"}}) {
            Console.Ran ran = run(wrong);
            assertThat(ran.exit()).as(String.join(" ", wrong) + ran.err()).isEqualTo(Exit.USAGE);
            assertThat(ran.err().strip().lines()).hasSize(1);
        }
        assertThat(run("retire", "example.org", "none").exit()).isEqualTo(Exit.NO);
        assertThat(run("new", "example.org", "--selector", "a").exit()).isZero();
        assertThat(run("new", "example.org", "--selector", "a").err()).contains("File exists");
    }
}
