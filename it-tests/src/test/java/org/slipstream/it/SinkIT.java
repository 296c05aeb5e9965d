package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.fixture.Program;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.ProgramRun;
import org.slipstream.testkit.server.Slipstream;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/// `mta sink` as a developer starts it.
class SinkIT {
    private static final Pattern READY = Pattern.compile("ready (smtp|lmtp)=127.0.0.1:([0-9]+) web=(\\S+)");

    @TempDir
    Path folder;

    /// A running sink; closed by TERM.
    private record Sink(Process process, BufferedReader out, InetSocketAddress smtp, String web)
            implements
                AutoCloseable {
        static Sink start(Path home, String... options) throws IOException {
            String[] all = new String[options.length + 5];
            System.arraycopy(new String[]{"sink", "--port", "0", "--web", "0"}, 0, all, 0, 5);
            System.arraycopy(options, 0, all, 5, options.length);
            Process process = new ProcessBuilder(Program.commandLine(home, all))
                    .redirectError(home.resolve("err").toFile()).start();
            BufferedReader out = new BufferedReader(
                    new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            String line = out.readLine();
            Matcher ready = READY.matcher(String.valueOf(line));
            assertThat(ready.matches()).as(line + Files.readString(home.resolve("err"))).isTrue();
            return new Sink(process, out,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(ready.group(2))),
                    ready.group(3));
        }

        String ask(String path) throws IOException, InterruptedException {
            try (HttpClient client = HttpClient.newHttpClient()) {
                return client.send(HttpRequest.newBuilder(URI.create(web + "api/v1/" + path)).build(),
                        BodyHandlers.ofString()).body();
            }
        }

        /// The exit code.
        int stop() throws InterruptedException {
            process.destroy();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("stops with TERM").isTrue();
            return process.exitValue();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    @Test
    void mailOfARealServerIsShownAndTermStopsTheSink() throws Exception {
        try (Sink sink = Sink.start(folder);
                var mta = Slipstream.forDomain("here.example").withRoute("far.example", sink.smtp()).start()) {
            try (SmtpTalker talker = SmtpTalker.introducedTo(mta.smtp())) {
                talker.send(OutgoingMessage.of("through@here.example", "ann@here.example", "bob@far.example"));
            }
            assertThat(sink.ask("wait?to=bob@far.example&timeout=60s"))
                    .contains("\"total\":1", "\"subject\":\"through@here.example\"");
            assertThat(sink.ask("stats")).contains("\"transactions\":1");
            assertThat(sink.stop()).isZero();
        }
    }

    @Test
    void aScriptGreylistsAndAMaildirHasTheMail() throws Exception {
        Path script = Files.writeString(folder.resolve("s.toml"),
                "[[rules]]\non = \"rcpt\"\nfirst = 1\nreply = \"450 4.2.0 Greylisted\"\n");
        Path maildir = folder.resolve("received");
        try (Sink sink = Sink.start(folder, "--script", script.toString(), "--store", "maildir:" + maildir);
                SmtpTalker talker = SmtpTalker.introducedTo(sink.smtp())) {
            talker.must(250, "MAIL FROM:<>");
            talker.must(450, "RCPT TO:<b@y.example>");
            talker.must(250, "RSET");
            assertThat(talker.send(OutgoingMessage.of("m@x", "a@x.example", "b@y.example")).code()).isEqualTo(250);
            try (var files = Files.list(maildir.resolve("new"))) {
                assertThat(files).hasSize(1);
            }
            assertThat(sink.stop()).isZero();
        }
    }

    @Test
    void mistakesAreOneSentence() throws IOException {
        Path script = Files.writeString(folder.resolve("wrong.toml"), "[server]\ntls = \"expird\"\n");
        ProgramRun mistake = Program.run(folder, "sink", "--script", script.toString());
        assertThat(mistake.exit()).isEqualTo(78);
        assertThat(mistake.err()).isEqualTo("mta: " + script
                + ":2: server: tls = \"expird\" is unknown; did you mean \"expired\"?\n");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ProgramRun port = Program.run(folder, "sink", "--port", Integer.toString(taken.getLocalPort()));
            assertThat(port.exit()).isEqualTo(5);
            assertThat(port.err()).isEqualTo("mta: the sink cannot listen for SMTP on 127.0.0.1:"
                    + taken.getLocalPort() + ": Address already in use; choose another port with --port, or --port 0"
                    + " for a free one\n");
            ProgramRun web = Program.run(folder, "sink", "--port", "0", "--web",
                    Integer.toString(taken.getLocalPort()));
            assertThat(web.exit()).isEqualTo(5);
            assertThat(web.err()).contains("the web page", "--web 0");
        }
    }
}
