package org.slipstream.cli;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.guard.dkim.KeyFolder;
import org.slipstream.guard.dkim.KeyState;
import org.slipstream.testkit.StubDns;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// `setup` from an empty folder, and from files that are there.
class SetupCommandTest {
    @TempDir
    Path home;
    private Console console;

    @BeforeEach
    void open() {
        console = new Console(home);
    }

    private Console.Ran setup(String... more) {
        console.input = "open sesame\n".getBytes(StandardCharsets.UTF_8);
        return console.run(concat("setup example.test --address 192.0.2.25 --address 2001:db8::25 --user alice --yes",
                more));
    }

    private static String[] concat(String words, String... more) {
        List<String> all = Arrays.stream(words.split(" ")).collect(Collectors.toList());
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private Map<String, String> files() throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (var all = Files.walk(home)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                texts.put(home.relativize(file).toString(), Files.readString(file));
            }
        }
        return texts;
    }

    /// The lines that are no comments.
    private static List<String> records(Console.Ran ran) {
        return ran.out().lines().filter(line -> !line.isBlank() && !line.startsWith(";")).toList();
    }

    @Test
    void anEmptyFolderBecomesAServerOfTheDomain() throws IOException {
        Console.Ran ran = setup();
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.err()).contains("done: mta.toml: hostname = \"mail.example.test\"", "listen.smtp = \"*:25\"",
                "local.postmaster = \"alice\"", "done: user alice may send as alice@example.test",
                "mta check --dns example.test");
        assertThat(console.run("check").exit()).isZero();
        assertThat(console.run("address", "abuse@example.test").out()).contains("alice@example.test");
        var keys = KeyFolder.in(home).keys("example.test");
        assertThat(keys).hasSize(2).allMatch(stored -> stored.state() == KeyState.ACTIVE);
        assertThat(records(ran)).hasSize(11).contains(
                "example.test. IN MX 10 mail.example.test.",
                "mail.example.test. IN A 192.0.2.25",
                "mail.example.test. IN AAAA 2001:db8::25",
                "example.test. IN TXT \"v=spf1 mx -all\"",
                "mail.example.test. IN TXT \"v=spf1 a -all\"",
                "_dmarc.example.test. IN TXT \"v=DMARC1; p=none; rua=mailto:postmaster@example.test\"",
                "_smtp._tls.example.test. IN TXT \"v=TLSRPTv1; rua=mailto:postmaster@example.test\"",
                "_submissions._tcp.example.test. IN SRV 0 1 465 mail.example.test.")
                .filteredOn(line -> line.contains("_domainkey")).hasSize(2)
                .anyMatch(line -> line.matches("r[0-9]{8}\\._domainkey.* \"v=DKIM1; k=rsa; p=[^\"]{237}\" \"[^\"]+\""));
        assertThat(ran.out()).contains(";_mta-sts.example.test. IN TXT \"v=STSv1; id=",
                "; - set its reverse name: 25.2.0.192.in-addr.arpa. IN PTR mail.example.test.",
                "https://mta-sts.example.test/.well-known/mta-sts.txt");
        assertThat(files().get("web/example.test/mta-sts.txt")).contains("mode: testing", "mx: mail.example.test");
        assertThat(records(setup("--with", "mta-sts"))).hasSize(13)
                .contains("mta-sts.example.test. IN CNAME mail.example.test.");
    }

    @Test
    void theSecondRunChangesNothing() throws IOException {
        setup();
        Map<String, String> before = files();
        Console.Ran again = setup();
        assertThat(again.exit()).isZero();
        assertThat(again.err()).doesNotContain("done:").contains("left: user alice is there", "left: key r");
        assertThat(files()).isEqualTo(before);
        console.input = new byte[0];
        assertThat(console.run("setup", "example.test", "--address", "192.0.2.25").exit())
                .as("the files know the rest").isZero();
    }

    @Test
    void aFileWithCommentsIsKept() throws IOException {
        Files.writeString(home.resolve("mta.toml"), """
                # Ours.
                hostname = "mx.example.test"  # not mail
                [listen]
                smtp = "127.0.0.1:25"   # closed
                submission = "192.0.2.25:587"
                [local]
                domains = ["example.org"]
                mailboxes = ["*"]
                """);
        Console.Ran ran = setup();
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(Files.readString(home.resolve("mta.toml"))).isEqualTo("""
                # Ours.
                hostname = "mx.example.test"  # not mail
                [listen]
                smtp = "*:25"   # closed
                submission = "192.0.2.25:587"
                submissions = "*:465"
                [local]
                domains = ["example.org", "example.test"]
                mailboxes = ["*"]
                postmaster = "alice"
                """);
        assertThat(ran.err()).contains("left: listen.submission stays");
        assertThat(ran.out()).contains("example.test. IN MX 10 mx.example.test.");
        assertThat(setup("--host", "mail.example.test").err()).contains("name this server mx.example.test already");
    }

    @Test
    void aFileThatAProgramCannotChangeStays() throws IOException {
        String odd = "local.domains = [\n  \"example.org\",\n]\n";
        Files.writeString(home.resolve("mta.toml"), odd);
        Console.Ran ran = setup();
        assertThat(ran.exit()).isEqualTo(78);
        assertThat(ran.err()).isNotBlank();
        assertThat(Files.readString(home.resolve("mta.toml"))).isEqualTo(odd);
        assertThat(Files.exists(home.resolve("dkim"))).isFalse();
    }

    @Test
    void withoutATerminalAMissingOptionIsNamed() {
        console.input = new byte[0];
        assertThat(console.run("setup", "example.test").err()).contains("give --host NAME", "or --yes for mail.");
        assertThat(console.run("setup", "example.test", "--host", "h.example.test", "--address", "192.0.2.25").err())
                .contains("give --user NAME");
        assertThat(console.run(concat("setup example.test --yes --address 192.0.2.25 --user alice")).err())
                .contains("the password is empty");
        for (String wrong : List.of("example", "no domain", "[192.0.2.1]", "a..b", "x".repeat(300) + ".test")) {
            assertThat(console.run("setup", wrong).exit()).as(wrong).isEqualTo(2);
        }
        assertThat(setup("--with", "everything").exit()).isEqualTo(2);
        assertThat(home).as("nothing was written").isEmptyDirectory();
    }

    /// The records that one command prints are those that the other one asks for.
    @Test
    void theCheckOfTheDomainFindsWhatWasPrinted() {
        Console.Ran ran = setup("--with", "mta-sts");
        String ptr = "25.2.0.192.in-addr.arpa. IN PTR mail.example.test.\n"
                + "5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa. IN PTR mail.example.test.\n";
        try (var dns = StubDns.of(String.join("\n", records(ran)) + "\n" + ptr)) {
            Console.Ran check = console.run("check", "--dns", "example.test", "--resolver", dns.address());
            // No web server of this test serves the policy.
            assertThat(check.out().lines().filter(line -> line.startsWith("lacks"))).as(check.out())
                    .singleElement().asString().contains("no policy at https://mta-sts.example.test/");
            assertThat(check.exit()).isEqualTo(1);
            assertThat(check.out()).contains("has the key that signs", "_submissions._tcp.example.test leads to this",
                    "_mta-sts.example.test has a record").doesNotContain("no-answer");
        }
        try (var dns = StubDns.of("example.test. IN MX 10 mail.example.test.\n")) {
            Console.Ran check = console.run("check", "--dns", "example.test", "--address", "192.0.2.25", "--resolver",
                    dns.address());
            assertThat(check.exit()).isEqualTo(1);
            assertThat(check.out().lines().map(String::strip)).containsAll(records(ran).stream()
                    .filter(line -> !line.contains(" MX ") && !line.contains("AAAA") && !line.contains("CNAME"))
                    .toList());
        }
    }

    @Test
    void aMessageIsJudgedWithTheKeysThatWereMade() throws IOException {
        Console.Ran ran = setup();
        Path file = home.resolve("mail.eml");
        Files.writeString(file, "From: alice@example.test\nTo: b@far.example\nSubject: Hi\nMessage-ID: <1@x.test>\n"
                + "Date: " + DateTimeFormatter.RFC_1123_DATE_TIME.format(OffsetDateTime.now(ZoneOffset.UTC))
                + "\n\nHi\n");
        String ptr = "25.2.0.192.in-addr.arpa. IN PTR mail.example.test.\n";
        try (var dns = StubDns.of(String.join("\n", records(ran)) + "\n" + ptr)) {
            String[] words = {"check", "--mail", file.toString(), "--address", "192.0.2.25", "--resolver",
                    dns.address()};
            Console.Ran check = console.run(words);
            assertThat(check.exit()).as(check.out()).isZero();
            assertThat(check.out()).contains("SPF is aligned, DKIM is aligned", "mail.eml: nothing is lacking");
            Files.writeString(file, "From: alice@example.test\n\nHi\n");
            assertThat(console.run(words).exit()).isEqualTo(1);
            assertThat(console.run("check", "--json", "--mail", file.toString(), "--address", "192.0.2.25",
                    "--resolver", dns.address()).out()).startsWith("{\"lacking\":2,\"findings\":[{\"subject\":");
        }
        assertThat(console.run("check", "--mail", home.resolve("none").toString(), "--address", "192.0.2.25").exit())
                .isEqualTo(2);
        assertThat(console.run("check", "--mail", "x", "--dns", "example.test").err()).contains("give one of");
    }

    @Test
    void aReplyIsExplained() {
        Console.Ran known = console.run("check", "--reply", "550-5.7.26 unauthenticated");
        assertThat(known.exit()).isZero();
        assertThat(known.out()).startsWith("class: authentication-failed\nGmail: ").contains("To do: ");
        assertThat(console.run("check", "--json", "--reply", "TSS04").out()).contains("\"provider\":\"Yahoo\"");
        assertThat(console.run("check", "--reply", "250 fine").exit()).isEqualTo(1);
    }

    @Test
    void jsonHasTheSame() {
        assertThat(setup("--json").out()).startsWith("{\"domain\":\"example.test\",\"hostname\":\"mail.example.test\"")
                .contains("\"subject\":\"mx\",\"need\":\"needed\"", "\"line\":\"_dmarc.example.test. IN TXT ",
                        "\"provider\":[{\"subject\":\"ptr\"", "\"url\":\"https://mta-sts.example.test/");
    }
}
