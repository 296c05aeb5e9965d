package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerNsd;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// From an empty folder to mail that others trust: `mta setup` prints a zone, Debian's NSD serves it,
/// the server signs what its user sends, and programs of three other projects judge what arrives.
@RequiresPrograms({"nsd", "rspamd", "perl"})
class SetupIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final String ADDRESS = "192.0.2.25";
    private static final String PYTHON = "/usr/bin/python3";
    private static final Path JUDGES = Path.of("src/test/resources/judges").toAbsolutePath();
    private final Path folder = BENCH.folder();

    @Test
    void mailOfANewDomainPassesSpfDkimAndDmarcAtOthers() throws Exception {
        Path home = BENCH.home();
        ProgramRun setup = Program.runWithInput("open sesame\n".getBytes(StandardCharsets.US_ASCII), home, "setup",
                "example.test", "--address", ADDRESS, "--user", "alice", "--yes").mustSucceed();
        int dns = nameServer(setup.out());
        SmtpSink sink = BENCH.smtpSink();
        PackagedServer server = BENCH.keep(PackagedServer.start(Program.folder(), home,
                List.of("listen.smtp=127.0.0.1:0", "listen.submission=127.0.0.1:0", "listen.submissions=off",
                        "smtp-client.dns-servers=127.0.0.1:" + dns,
                        "routes.\"far.example\"=smtp:127.0.0.1:" + sink.port())));
        ProgramRun check = server.command("check", "--dns", "example.test", "--address", ADDRESS, "--resolver",
                "127.0.0.1:" + dns);
        assertThat(check.out()).contains("has the key that signs", "the policy of example.test is p=none");
        // No web server of this test serves the policy.
        assertThat(check.out().lines().filter(line -> line.startsWith("lacks"))).as(check.out()).allMatch(
                line -> line.contains("no policy at https://mta-sts.example.test/"));
        server.command("send", "--server", "127.0.0.1:" + server.submission().getPort(), "--from",
                "alice@example.test", "--to", "bob@far.example", "--subject", "Hello", "--text", "How are you?")
                .mustSucceed();
        eventually().untilAsserted(() -> assertThat(sink.count()).isEqualTo(1));
        Path mail = Files.write(folder.resolve("mail.eml"), sink.messages().getFirst().content());
        // The judges know no suffixes that are for tests.
        Path suffixes = Files.writeString(folder.resolve("suffixes"), "test\n");
        judgedByThePythonAndPerlPrograms(mail, suffixes, dns);
        judgedByRspamd(mail, dns);
        ProgramRun preflight = server.command("check", "--mail", mail.toString(), "--address", ADDRESS, "--resolver",
                "127.0.0.1:" + dns);
        assertThat(preflight.out()).contains("SPF is aligned, DKIM is aligned");
    }

    /// The printed text as it stands, below the two records that each zone has.
    private static int nameServer(String printed) {
        return BENCH.keep(Peer.start(new PeerNsd(Map.of("test", """
                $TTL 60
                test. IN SOA ns.example.test. hostmaster.example.test. 1 3600 600 86400 60
                test. IN NS ns.example.test.
                ns.example.test. IN A 127.0.0.1
                """ + printed, "2.0.192.in-addr.arpa", """
                $TTL 60
                2.0.192.in-addr.arpa. IN SOA ns.example.test. hostmaster.example.test. 1 3600 600 86400 60
                2.0.192.in-addr.arpa. IN NS ns.example.test.
                """ + printed.lines().filter(line -> line.contains(" IN PTR "))
                .map(line -> line.substring(line.indexOf("25.2."))).findFirst().orElseThrow() + "\n")))).port();
    }

    private void started(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(folder.resolve(command[0] + ".log").toFile())).start();
        BENCH.keep(() -> {
            Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList()
                    .forEach(ProcessHandle::destroy);
            process.waitFor();
        });
    }

    private void judgedByThePythonAndPerlPrograms(Path mail, Path suffixes, int dns) {
        ProgramRun spf = ProgramRun.of(PYTHON, JUDGES.resolve("judge-spf.py").toString(), ADDRESS, "alice@example.test",
                "mail.example.test", Integer.toString(dns));
        assertThat(spf.out().strip()).as(spf.err()).isEqualTo("pass");
        ProgramRun dmarc = ProgramRun.of("perl", JUDGES.resolve("dmarc.pl").toString(), mail.toString(), ADDRESS,
                "example.test", "example.test", spf.out().strip(), suffixes.toString(), Integer.toString(dns));
        assertThat(dmarc.out()).as(dmarc.err()).contains("rsa-sha256=pass", "dmarc pass spf=pass dkim=pass");
    }

    private void judgedByRspamd(Path mail, int dns) throws Exception {
        int port = UnusedPort.now();
        Files.createDirectories(folder.resolve("languages"));
        Path config = Files.writeString(folder.resolve("rspamd.conf"), """
                options {
                    filters = "dkim";
                    disable_hyperscan = true;
                    local_addrs = [];
                    url_tld = "%1$s/suffixes";
                    cache_file = "%1$s/symbols.cache";
                    dynamic_conf = "%1$s/dynamic";
                    history_file = "%1$s/history";
                    control_socket = "%1$s/control.sock mode=0600";
                    hs_cache_dir = "%1$s";
                    tempdir = "%1$s";
                    dns { nameserver = ["127.0.0.1:%3$d"]; timeout = 5s; retransmits = 2; }
                }
                lang_detection { languages = "%1$s/languages"; }
                logging { type = "console"; level = "info"; }
                actions { reject = 15; add_header = 6; greylist = 4; }
                modules { path = "/usr/share/rspamd/plugins/spf.lua"; path = "/usr/share/rspamd/plugins/dmarc.lua"; }
                spf { }
                dkim { }
                dmarc { }
                worker "normal" { bind_socket = "127.0.0.1:%2$d"; count = 1; }
                """.formatted(folder, port, dns));
        started("rspamd", "--no-fork", "--insecure", "--config", config.toString());
        // Rspamd does not read the body of a request that offers HTTP/2.
        try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/checkv2"))
                    .header("IP", ADDRESS).header("Helo", "mail.example.test").header("From", "alice@example.test")
                    .header("Rcpt", "bob@far.example").POST(HttpRequest.BodyPublishers.ofFile(mail)).build();
            eventually().ignoreExceptions().untilAsserted(() -> assertThat(
                    client.send(request, BodyHandlers.ofString()).body())
                    .contains("\"R_SPF_ALLOW\"", "\"R_DKIM_ALLOW\"", "\"DMARC_POLICY_ALLOW\""));
        }
    }
}
