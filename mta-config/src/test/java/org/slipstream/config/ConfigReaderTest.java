package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.DataSize;
import org.slipstream.core.Route;
import org.slipstream.guard.login.SubmissionSettings;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpin.auth.GuessGuard;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Settings in `mta.toml`, and the problems that the reader reports.
class ConfigReaderTest {
    private static final String MACHINE = "box.example.net";

    @TempDir
    Path home;

    @Test
    void deepNestingIsToldWithItsLineAndEndsNothing() throws Exception {
        for (String deep : List.of("a = " + "[".repeat(20_000), "a = " + "{b=".repeat(20_000),
                "[" + "a.".repeat(20_000) + "a]", "a" + ".a".repeat(20_000) + " = 1")) {
            write("hostname = \"mta.example\" # [[[[\n" + deep);
            assertThat(problems()).singleElement().asString().contains("nested deeper than 50")
                    .startsWith("mta.toml:2: ");
        }
        write("a = '''\n[[[\n'''\nb = " + "[".repeat(60));
        assertThat(problems()).singleElement().asString().startsWith("mta.toml:4: ");
    }

    @Test
    void bracketsAndDotsInTextsAndCommentsDoNotNest() throws Exception {
        String many = "[.{".repeat(100);
        write("[aliases]\n\"a" + many + "\" = '" + many + "' # " + many + "\nb = \"\\\"" + many + "\"\nc = \"\"\""
                + many
                + "\"\"\"\n");
        assertThat(problems()).isNotEmpty().noneMatch(each -> each.contains("nested"));
    }

    @Test
    void aFileThatIsTooLargeIsTold() throws Exception {
        write("#".repeat(BoundedFiles.MOST_TEXT_OCTETS + 1));
        assertThat(problems()).singleElement().asString().endsWith("larger than 4 MiB");
    }

    @Test
    void furtherListenersTrustedClientsAndFurtherCertificates() throws Exception {
        Files.writeString(home.resolve("both.pem"), "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n");
        write("""
                [listen]
                submissions = "*:465"
                lmtp = "127.0.0.1:24"
                [submission]
                networks-without-login = false
                sender-must-belong = false
                failed-logins = 3
                ban = "1h"
                [trust]
                proxies = ["192.0.2.0/24"]
                xclient = ["198.51.100.7"]
                [tls]
                further = ["both.pem"]
                """);
        Config config = accepted();
        assertThat(config.listen().submissions()).hasValueSatisfying(a -> assertThat(a.getPort()).isEqualTo(465));
        assertThat(config.listen().lmtp()).hasValueSatisfying(a -> assertThat(a.getPort()).isEqualTo(24));
        assertThat(config.submission())
                .isEqualTo(new SubmissionSettings(false, false, false, Optional.empty(),
                        new GuessGuard.GuessSettings(Duration.ofSeconds(1),
                                Duration.ofSeconds(8), 3, Duration.ofMinutes(3), Duration.ofHours(1)),
                        Duration.ofDays(30)));
        assertThat(config.trust().proxies()).hasToString("[192.0.2.0/24]");
        assertThat(config.trust().xclientHosts()).hasToString("[198.51.100.7/32]");
        Path both = home.resolve("both.pem");
        assertThat(config.tls().further()).containsExactly(new TlsSettings.Pair(both, both));
    }

    @Test
    void dovecotIsNamedByASocketOrAPort() throws Exception {
        write("""
                [local]
                delivery = "lmtp:unix:/run/dovecot/lmtp"
                mailbox-lookup = "dovecot:/run/dovecot/auth-userdb"
                [submission]
                auth = "dovecot:127.0.0.1:12345"
                """);
        Config config = accepted();
        assertThat(config.operation().store())
                .isEqualTo(new Config.MailStore(Optional.of("unix:/run/dovecot/lmtp"),
                        Optional.of("unix:/run/dovecot/auth-userdb")));
        assertThat(config.submission().auth()).contains("127.0.0.1:12345");
        write("");
        assertThat(accepted().operation().store())
                .isEqualTo(new Config.MailStore(Optional.empty(), Optional.empty()));
        assertThat(accepted("submission.auth=dovecot:unix:/run/auth").submission().auth()).contains("unix:/run/auth");
        for (var wrong : List.of("submission.auth=dovecot", "submission.auth=dovecot:", "submission.auth=dovecot:mail",
                "submission.auth=/run/auth", "submission.auth=", "local.delivery=smtp:mail.example",
                "local.delivery=lmtp:mail.example", "local.delivery=", "local.mailbox-lookup=/run/auth")) {
            assertThat(problems(wrong)).as(wrong).hasSize(1);
        }
    }

    @Test
    void furtherPortsCollideAndFurtherCertificatesMustBeThere() throws Exception {
        write("""
                [listen]
                submissions = "127.0.0.1:2525"
                [tls]
                further = ["none.crt none.key", "a b c"]
                """);
        assertThat(problems()).anySatisfy(
                p -> assertThat(p).contains("mta.toml:2", "listen.submissions and listen.smtp have the same port"))
                .anySatisfy(p -> assertThat(p).contains("mta.toml:4", "\"a b c\""));
        write("[trust]\nxclient = [\"0.0.0.0/0\"]\n");
        assertThat(problems()).singleElement().asString().contains("mta.toml:2", "open relay");
        write("[tls]\nfurther = [\"none.crt none.key\"]\n");
        assertThat(problems()).containsExactly(
                "mta.toml:2: tls.further: there is no file " + home.resolve("none.crt"),
                "mta.toml:2: tls.further: there is no file " + home.resolve("none.key"));
    }

    @Test
    void withoutAFileTheDefaultsHold() {
        Config config = accepted();
        assertThat(config.hostname()).isEqualTo(MACHINE);
        assertThat(config.listen().smtp()).hasValueSatisfying(a -> assertThat(a.getPort()).isEqualTo(2525));
        assertThat(config.local().domains()).containsExactly("localhost", MACHINE);
        assertThat(config.local().maildir()).isAbsolute().isEqualTo(home.toAbsolutePath().resolve("mail"));
        assertThat(config.local().postmaster()).isEqualTo(Address.of("postmaster@localhost"));
        assertThat(config.routes()).containsOnlyKeys("*").containsEntry("*", new RouteTarget.Mx());
        assertThat(config.limits().messageSize()).isEqualTo(DataSize.ofMebibytes(25));
        assertThat(config.queue().lifetime()).hasDays(5);
        assertThat(config.tls().certificate()).isEmpty();
        assertThat(config.log().level()).isEqualTo("info");
    }

    @Test
    void anEmptyFileAndOneOfCommentsMeanTheDefaultsToo() throws IOException {
        Config defaults = accepted();
        write("");
        assertThat(accepted()).isEqualTo(defaults);
        write("# nothing yet\r\n\r\n[limits]\r\n");
        assertThat(accepted()).isEqualTo(defaults);
    }

    @Test
    void aWholeFileIsRead() throws IOException {
        write("""
                hostname = "Mail.Example.ORG"
                [listen]
                smtp = "*:25"
                submission = "off"
                [local]
                domains = ["Example.org", "b.example"]
                mailboxes = ["alice", "bob@B.example"]
                maildir = "/var/mail/x"
                postmaster = "alice@example.org"
                subaddress-delimiter = ""
                [aliases]
                "sales" = ["alice@example.org", "bob@elsewhere.example"]
                "info@b.example" = "bob"
                [relay]
                networks = ["192.0.2.0/24", "2001:db8::/32"]
                [routes]
                "far.example" = "smtp:127.0.0.1:2599"
                "six.example" = "smtp:[2001:db8::1]:25"
                ".Internal.example" = "lmtp:127.0.0.1:2424"
                "box.example" = "lmtp:unix:/run/lmtp.sock"
                "devnull.example" = "discard"
                "*" = "smtp:relay.provider.example"
                [limits]
                message-size = 1000000
                [queue]
                delay-notice = "0s"
                [smtp-client]
                starttls = false
                dns-servers = ["127.0.0.1:5353"]
                [log]
                level = "DEBUG"
                """);
        Config config = accepted();
        assertThat(config.hostname()).isEqualTo("mail.example.org");
        assertThat(config.listen().smtp().orElseThrow().getAddress().isAnyLocalAddress()).isTrue();
        assertThat(config.listen().submission()).isEmpty();
        assertThat(config.local().mailboxes()).containsExactly("alice", "bob@b.example");
        assertThat(config.local().subaddressDelimiter()).isEmpty();
        assertThat(config.aliases()).containsOnlyKeys("sales@example.org", "sales@b.example", "info@b.example");
        assertThat(config.aliases().get("info@b.example")).containsExactly(Address.of("bob@b.example"));
        assertThat(config.relay().networks().getFirst().contains(InetAddress.ofLiteral("192.0.2.77"))).isTrue();
        assertThat(config.routes()).containsEntry("far.example", fixed("127.0.0.1", 2599))
                .containsEntry("six.example", fixed("[2001:db8::1]", 25))
                .containsEntry(".internal.example", new RouteTarget.Lmtp("127.0.0.1:2424"))
                .containsEntry("box.example", new RouteTarget.Lmtp("unix:/run/lmtp.sock"))
                .containsEntry("devnull.example", new RouteTarget.Discard())
                .containsEntry("*", fixed("relay.provider.example", 25));
        assertThat(config.limits().messageSize()).isEqualTo(DataSize.of(1_000_000));
        assertThat(config.queue().delayNotice()).containsExactly(Duration.ZERO);
        assertThat(config.smtpClient().startTls()).isFalse();
        assertThat(config.log().level()).isEqualTo("debug");
    }

    @Test
    void aMisspeltKeyIsNamedWithItsLineAndTheRightOne() throws IOException {
        write("hostname = \"a.example\"\n\n[limits]\nmesage-size = \"1MiB\"\n");
        assertThat(problems()).containsExactly(
                "mta.toml:4: unknown key \"limits.mesage-size\"; did you mean \"message-size\"?");
    }

    @Test
    void forAKeyInTheWrongSectionTheRightOneIsSuggested() throws IOException {
        write("message-size = \"1MiB\"\nhost-name = \"x.example\"\n[queue]\nrecipients = 5\nxyzzy = 1\n[listne]\na = 1\n");
        assertThat(problems()).containsExactly(
                "mta.toml:1: unknown key \"message-size\"; did you mean \"message-size\" in [limits]?",
                "mta.toml:2: unknown key \"host-name\"; did you mean \"hostname\"?",
                "mta.toml:4: unknown key \"queue.recipients\"; did you mean \"recipients\" in [limits]?",
                "mta.toml:5: unknown key \"queue.xyzzy\"",
                "mta.toml:6: unknown section [listne]; did you mean [listen]?");
    }

    @Test
    void allMistakesAreReportedAtOnceInTheOrderOfTheFile() throws IOException {
        write("""
                hostname = "not a name"
                [listen]
                smtp = "2525"
                admin = "192.0.2.1:8025"
                [local]
                domains = ["good.example",
                           "bad..example",
                           7]
                [relay]
                networks = ["0.0.0.0/0", "10.0.0.0/33", "2000::/3"]
                [routes]
                "a.example" = "stmp:host"
                "*.b.example" = "mx"
                "good.example" = "mx"
                [limits]
                hops = "50"
                recipients = 0
                idle = 300
                message-size = "25 lots"
                [queue]
                minimal-backoff = "5000s"
                lifetime = "five days"
                [smtp-client]
                starttls = "yes"
                [log]
                level = "inf"
                """);
        List<String> problems = problems();
        assertThat(problems.stream().map(line -> line.substring(0, line.indexOf(": ")))).containsExactly("mta.toml:1",
                "mta.toml:3", "mta.toml:4", "mta.toml:7", "mta.toml:8", "mta.toml:10", "mta.toml:10", "mta.toml:10",
                "mta.toml:12", "mta.toml:13", "mta.toml:16", "mta.toml:17", "mta.toml:18", "mta.toml:19",
                "mta.toml:21", "mta.toml:22", "mta.toml:24", "mta.toml:26");
        assertThat(problems.get(2)).isEqualTo("mta.toml:4: unknown key \"listen.admin\"");
        assertThat(problems.get(5)).contains("open relay").contains("/8");
        assertThat(problems.get(7)).contains("open relay").contains("/16");
        assertThat(problems.get(9)).endsWith("for all subdomains write \".b.example\"");
        assertThat(problems.get(10)).endsWith("write it without quotes: 50");
        assertThat(problems.get(12)).endsWith("say the unit, for example \"300s\"");
        assertThat(problems.get(14)).isEqualTo("mta.toml:21: queue.minimal-backoff (5000s) is longer than"
                + " queue.maximal-backoff (4000s)");
        assertThat(problems.get(17)).endsWith("did you mean \"info\"?");
    }

    @Test
    void linesAreCountedRightWithTheNewlinesOfWindowsAndAByteOrderMark() throws IOException {
        write("\uFEFFhostname = \"a.example\"\r\n\r\n[limits]\r\nhops = 50\r\nhop = 3\r\n");
        assertThat(problems()).containsExactly("mta.toml:5: unknown key \"limits.hop\"; did you mean \"hops\"?");
    }

    @Test
    void aTextWithoutQuotesIsShownWithThem() throws IOException {
        write("hostname = mail.example.org\n[limits]\nmessage-size = 25MiB\nhops = 3\nhopps = 4\n");
        assertThat(problems()).satisfiesExactly(
                first -> assertThat(first).startsWith("mta.toml:1: not TOML")
                        .endsWith("hostname = \"mail.example.org\""),
                second -> assertThat(second).startsWith("mta.toml:3: not TOML").endsWith("message-size = \"25MiB\""),
                third -> assertThat(third).startsWith("mta.toml:5: unknown key"));
    }

    @Test
    void aBrokenHeaderDoesNotMakeTheLinesBelowItWrongToo() throws IOException {
        write("hostnam = \"a.example\"\n[limits\nlanes = 3\n");
        assertThat(problems()).satisfiesExactly(first -> assertThat(first).startsWith("mta.toml:1: unknown key"),
                second -> assertThat(second).startsWith("mta.toml:2: not TOML"));
    }

    @Test
    void aKeyOrSectionGivenTwiceIsReported() throws IOException {
        write("[limits]\nhops = 3\nhops = 4\n[queue]\n[limits]\n");
        assertThat(problems()).hasSize(2).allSatisfy(line -> assertThat(line).contains("previously defined"));
    }

    @Test
    void bytesThatAreNotUtf8AreNamedWithTheirLine() throws IOException {
        Files.write(home.resolve("mta.toml"), "# ok\n# gr\u00fc\u00dfe\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(problems()).containsExactly("mta.toml:2: a character that is not UTF-8");
    }

    @Test
    void aSectionIsNotAValueAndADomainStandsInQuotes() throws IOException {
        write("listen = \"127.0.0.1:25\"\n[routes]\nfar.example = \"mx\"\n[local]\ndomains = { a = 1 }\n");
        assertThat(problems()).satisfiesExactly(
                first -> assertThat(first).startsWith("mta.toml:1: listen is a section, not a value"),
                second -> assertThat(second).isEqualTo("mta.toml:3: a name with dots in [routes] stands in quotes;"
                        + " write \"far.example\" = …"),
                third -> assertThat(third).startsWith("mta.toml:5: local.domains"));
    }

    @Test
    void missingFilesOfTlsAreReported() throws IOException {
        write("[tls]\ncertificate = \"tls/no.crt\"\n");
        assertThat(problems()).satisfiesExactly(both -> assertThat(both).startsWith("mta.toml:2").contains("tls.key"),
                missing -> assertThat(missing).startsWith("mta.toml:2").contains("there is no file")
                        .contains("tls/no.crt"));
        Files.createDirectories(home.resolve("tls"));
        Files.writeString(home.resolve("tls/a.crt"), "-----BEGIN CERTIFICATE-----\n");
        Files.writeString(home.resolve("tls/a.key"), "this is no key");
        write("[tls]\ncertificate = \"tls/a.crt\"\nkey = \"tls/a.key\"\n");
        assertThat(problems()).singleElement().asString().startsWith("mta.toml:3").contains("a private key in PEM");
        Files.writeString(home.resolve("tls/a.key"), "-----BEGIN PRIVATE KEY-----\n");
        assertThat(accepted().tls().key()).hasValue(home.toAbsolutePath().resolve("tls/a.key"));
    }

    @Test
    void anAliasThatLeadsNowhereOrInACircleIsReported() throws IOException {
        write("""
                [local]
                domains = ["a.example"]
                mailboxes = ["alice"]
                [aliases]
                "sales" = ["alise@a.example", "alice+sales@a.example", "who@elsewhere.example"]
                "x@far.example" = "alice@a.example"
                "one" = "two"
                "two" = ["alice", "three"]
                "three" = "One+again@A.example"
                "self" = "self"
                "none" = []
                "p" = ["Postmaster", "ALICE", "abuse+1"]
                """);
        assertThat(problems()).containsExactly(
                "mta.toml:5: aliases.\"sales\": alise@a.example is in a local domain, but neither a mailbox nor an"
                        + " alias; add \"alise\" to local.mailboxes",
                "mta.toml:6: aliases.\"x@far.example\": mail for far.example does not end here; add the domain to"
                        + " local.domains",
                "mta.toml:7: alias loop: one → two → three → one",
                "mta.toml:10: aliases.\"self\": self@a.example is in a local domain, but neither a mailbox nor an alias;"
                        + " add \"self\" to local.mailboxes",
                "mta.toml:11: aliases.\"none\" has no target");
    }

    @Test
    void anAliasThatCatchesNothingIsReported() throws IOException {
        write("""
                [local]
                domains = ["a.example"]
                mailboxes = ["alice"]
                [aliases]
                "*" = "alice"
                "*@a.example" = "alice"
                "sales" = "alice"
                "sales@a.example" = "alice"
                """);
        assertThat(problems()).containsExactly(
                "mta.toml:5: aliases.\"*\" catches nothing: an alias is one name; for every name write \"*\" into"
                        + " local.mailboxes",
                "mta.toml:6: aliases.\"*@a.example\" catches nothing: an alias is one name; for every name write \"*\""
                        + " into local.mailboxes",
                "mta.toml:7: aliases.\"sales\" catches nothing: another alias of this name is stronger; take it out");
        write("hostname = \"mx.example\"\n[local]\ndomains = []\npostmaster = \"p@far.example\"\n"
                + "[aliases]\n\"sales\" = \"b@far.example\"\n");
        assertThat(problems()).containsExactly(
                "mta.toml:6: aliases.\"sales\" catches nothing: there is no local domain; take it out");
    }

    @Test
    void tlsStaysOnWhereEveryClientLogsIn() throws IOException {
        write("[tls]\noff = [\"submission\"]\n[submission]\nnetworks-without-login = false\n");
        assertThat(problems())
                .containsExactly("mta.toml:2: tls.off names submission, where every client has to log in and"
                        + " none can without TLS; set listen.submission = \"off\" or submission.networks-without-login = true");
    }

    @Test
    void anAliasThatNamesItselfKeepsACopyInTheMailboxOfItsName() throws IOException {
        write("[local]\ndomains = [\"a.example\"]\nmailboxes = [\"alice\"]\n"
                + "[aliases]\n\"alice\" = [\"alice\", \"bob@far.example\"]\n");
        assertThat(accepted().aliases().get("alice@a.example")).containsExactly(Address.of("alice@a.example"),
                Address.of("bob@far.example"));
    }

    @Test
    void aNameWithDomainWinsOverTheSameNameWithout() throws IOException {
        write("[local]\ndomains = [\"a.example\", \"b.example\"]\nmailboxes = [\"*\"]\n"
                + "[aliases]\n\"s@b.example\" = \"b@b.example\"\n\"s\" = \"a@a.example\"\n");
        Config config = accepted();
        assertThat(config.aliases().get("s@b.example")).containsExactly(Address.of("b@b.example"));
        assertThat(config.aliases().get("s@a.example")).containsExactly(Address.of("a@a.example"));
    }

    @Test
    void aRouteToThisServerItselfIsReported() throws IOException {
        write("[listen]\nsmtp = \"*:2525\"\n[routes]\n\"x.example\" = \"smtp:localhost:2525\"\n"
                + "\"y.example\" = \"smtp:127.0.0.1:2526\"\n");
        assertThat(problems()).singleElement().asString().startsWith("mta.toml:4").contains("this server itself");
    }

    /// Each form of a next hop, and the second address of localhost.
    @Test
    void aRouteByLmtpAndByIpv6ToThisServerItself() throws IOException {
        write("[listen]\nsmtp = \"[::1]:2525\"\nlmtp = \"127.0.0.1:2424\"\n[local]\n"
                + "delivery = \"lmtp:localhost:2424\"\n[routes]\n\"x.example\" = \"smtp:localhost:2525\"\n"
                + "\"y.example\" = \"lmtp:127.0.0.1:2424\"\n\"z.example\" = \"lmtp:127.0.0.1:2425\"\n");
        assertThat(problems()).extracting(Object::toString).satisfiesExactly(
                store -> assertThat(store).startsWith("mta.toml:5").contains("this server itself",
                        "name the mail store"),
                six -> assertThat(six).startsWith("mta.toml:7").contains("this server itself"),
                lmtp -> assertThat(lmtp).startsWith("mta.toml:8").contains("this server itself"));
    }

    @Test
    void aPathThatOnlyAShellKnows() throws IOException {
        write("[local]\nmaildir = \"~/Maildir\"\n");
        assertThat(problems()).singleElement().asString().startsWith("mta.toml:2").contains("write the whole path");
    }

    @Test
    void eachMistakeOfTheJournal() throws IOException {
        write("[journal]\nfile = \"~/journal\"\nsize = \"1KiB\"\n");
        assertThat(problems()).hasSize(2);
    }

    @Test
    void twoListenersOnOnePortAreReported() throws IOException {
        write("[listen]\nsmtp = \"127.0.0.1:2587\"\n");
        assertThat(problems()).singleElement().asString()
                .isEqualTo("mta.toml:2: listen.submission and listen.smtp have the same port 2587");
        write("[listen]\nsmtp = \"127.0.0.1:0\"\nsubmission = \"127.0.0.1:0\"\n");
        assertThat(accepted().listen().submission()).isPresent();
    }

    @Test
    void aRelayWithoutLocalDomainsNeedsAFullAddressForPostmaster() throws IOException {
        write("[local]\ndomains = []\n");
        assertThat(problems()).singleElement().asString().startsWith("mta.toml:2").contains("postmaster");
        write("[local]\ndomains = []\npostmaster = \"ops@elsewhere.example\"\n");
        assertThat(accepted().local().postmaster()).isEqualTo(Address.of("ops@elsewhere.example"));
    }

    @Test
    void overridesAreStrongerThanTheFileAndMayRepairIt() throws IOException {
        write("[queue]\nminimal-backoff = \"oops\"\nlanes = 5\n[local]\ndomains = [\"c.example\"]\n");
        Config config = accepted("queue.minimal-backoff=2s", "local.domains=a.example,b.example",
                "listen.smtp=127.0.0.1:0", "limits.hops=7", "smtp-client.starttls=false", "limits.message-size=1024",
                "routes.\"far.example\"=smtp:127.0.0.1:2599", "routes.near.example=mx", "routes.*=discard",
                "aliases.both=user@a.example,x@y.example", "log.level=trace", "log.level=warn");
        assertThat(config.queue().minimalBackoff()).hasSeconds(2);
        assertThat(config.transports().common().processLimit()).isEqualTo(5);
        assertThat(config.local().domains()).containsExactly("a.example", "b.example");
        assertThat(config.limits().hops()).isEqualTo(7);
        assertThat(config.limits().messageSize()).isEqualTo(DataSize.ofKibibytes(1));
        assertThat(config.smtpClient().startTls()).isFalse();
        assertThat(config.routes()).containsEntry("far.example", fixed("127.0.0.1", 2599))
                .containsEntry("near.example", new RouteTarget.Mx()).containsEntry("*", new RouteTarget.Discard());
        assertThat(config.aliases().get("both@a.example")).hasSize(2);
        assertThat(config.log().level()).isEqualTo("warn");
    }

    @Test
    void aWrongOverrideIsReportedAfterTheMistakesOfTheFile() throws IOException {
        write("[log]\nlevl = \"info\"\n");
        assertThat(problems("queue.lane=3", "nonsense", "limits.hops=many", "lissten.smtp=x", "a.b.c=1", "=x"))
                .containsExactly("mta.toml:2: unknown key \"log.levl\"; did you mean \"level\"?",
                        "--set: unknown key \"queue.lane\"; did you mean \"lanes\"?",
                        "--set: \"nonsense\" is not key=value",
                        "--set: unknown section \"lissten\"; did you mean [listen]?", "--set: \"a.b.c\" is not a key",
                        "--set: \"=x\" is not key=value",
                        "--set: limits.hops = \"many\" is not a whole number from 1 to 1000");
    }

    @Test
    void linesOfTheEnvironmentAreStrongerThanTheFileAndWeakerThanTheCommandLine() throws IOException {
        write("[limits]\nrecipients = 10\nhops = 11\n");
        SettingsSource source = new SettingsSource(home, home.resolve("mta.toml"),
                List.of("# of the container", "", "limits.hops=21", "  limits.recipients = 22"));
        Config config = accepted(ConfigReader.read(source, MACHINE, List.of("limits.recipients=30")));
        assertThat(config.limits().hops()).isEqualTo(21);
        assertThat(config.limits().recipients()).isEqualTo(30);
    }

    @Test
    void aMistakeOfTheEnvironmentOrOfAFileElsewhereIsNamedWithItsLine() throws IOException {
        Path elsewhere = Files.writeString(Files.createDirectory(home.resolveSibling(home.getFileName() + "-etc"))
                .resolve("mta.toml"), "[log]\nlevl = \"info\"\n");
        SettingsSource source = new SettingsSource(home, elsewhere, List.of("limits.hops=21", "queue.lane=3"));
        assertThat(problems(ConfigReader.read(source, MACHINE, List.of()))).containsExactly(
                elsewhere + ":2: unknown key \"log.levl\"; did you mean \"level\"?",
                "SLIPSTREAM_SET:2: unknown key \"queue.lane\"; did you mean \"lanes\"?");
    }

    @Test
    void valuesOfNoFormAtAllAreReportedNotThrown() throws IOException {
        write("hostname = 1979-05-27\n[limits]\nhops = 1.5\nmessage-size = [1]\nidle = \"99999999999999999999d\"\n"
                + "text-line = -5\n[listen]\nsmtp = \"[::1:25\"\nadmin = \"off\"\n[[local]]\ndomains = []\n");
        assertThat(problems()).hasSize(8);
    }

    private static RouteTarget fixed(String host, int port) {
        return new RouteTarget.Fixed(new Route.Host(host, port, 0));
    }

    private void write(String text) throws IOException {
        Files.writeString(home.resolve("mta.toml"), text);
    }

    private Config accepted(String... overrides) {
        return accepted(ConfigReader.read(SettingsSource.in(home), MACHINE, List.of(overrides)));
    }

    private static Config accepted(ReadResult result) {
        assertThat(result).isInstanceOf(ReadResult.Accepted.class);
        return ((ReadResult.Accepted) result).config();
    }

    private List<String> problems(String... overrides) {
        return problems(ConfigReader.read(SettingsSource.in(home), MACHINE, List.of(overrides)));
    }

    private static List<String> problems(ReadResult result) {
        assertThat(result).isInstanceOf(ReadResult.Rejected.class);
        return ((ReadResult.Rejected) result).problems().stream().map(Problem::toString).toList();
    }

}
