package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.run.RunCommand;
import org.slipstream.settings.TomlMistake;
import org.slipstream.sink.script.ScriptReader;
import org.slipstream.sink.script.ServerScript;
import org.slipstream.sink.server.HttpReceived;
import org.slipstream.sink.server.HttpSink;
import org.slipstream.sink.server.SinkServer;
import org.slipstream.sink.store.CaughtMail;
import org.slipstream.sink.store.CaughtMessage;
import org.slipstream.sink.store.MailFiles;
import org.slipstream.sink.store.MaildirFiles;
import org.slipstream.sink.store.MboxFile;
import org.slipstream.sink.store.SessionLog;
import org.slipstream.sink.web.SinkWeb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// `sink`: an SMTP server that follows a script, and the web page with the mail that came in.
@Command(header = "Receives mail for tests, shows it, and misbehaves as a script says.",
        description = "No message leaves the sink. Without a script it accepts all mail. The web page shows messages,"
                + " transcripts of sessions and the counters of the script; docs/sink.md has the script and the"
                + " API. The command prints one line when it is ready and stops with TERM.",
        exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, " 5:the sink cannot start: port in use, folder not writable",
                "78:the script has a mistake"},
        footer = {"  mta sink", "  mta sink --script examples/servers/greylisting.toml",
                "  mta sink --port 0 --web off --store maildir:received --json-lines",
                "  mta sink --port 0.0.0.0:1025 --web 0.0.0.0:8025 --web-name sink"})
public final class SinkCommand implements MtaAction {
    private static final int TRANSCRIPTS = 500;
    private static final int MOST_SHOWN = 64 << 10;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Option(names = "--port", paramLabel = "[HOST:]PORT", defaultValue = "1025",
            description = "where SMTP is accepted (default: ${DEFAULT-VALUE} on loopback; 0: a free port)")
    private String port = "1025";

    @Option(names = "--web", paramLabel = "[HOST:]PORT", defaultValue = "8025",
            description = "the web page and the API (default: ${DEFAULT-VALUE} on loopback; 0: a free port; off: none)")
    private String web = "8025";

    @Option(names = "--web-name", paramLabel = "NAME",
            description = "a further host name by which the page is asked for; may be repeated")
    private List<String> webNames = List.of();

    @Option(names = "--http", paramLabel = "[HOST:]PORT", defaultValue = "off",
            description = "a web server that takes each request, for programs that post (default: ${DEFAULT-VALUE})")
    private String http = "off";

    @Option(names = "--script", paramLabel = "FILE", description = "the behaviour of the server (see examples/servers)")
    private Optional<Path> script = Optional.empty();

    @Option(names = "--store", paramLabel = "WHERE", defaultValue = "memory",
            description = "memory (the newest 10,000), discard, maildir:DIR or mbox:FILE (default: ${DEFAULT-VALUE})")
    private String store = "memory";

    @Option(names = "--lmtp", description = "receive by LMTP instead of SMTP")
    private boolean lmtp;

    @Option(names = "--json-lines",
            description = "print the ready line, each message and each request as a line of JSON")
    private boolean jsonLines;

    @Override
    public int run(MtaCommand mta) throws InterruptedException {
        String text = scriptText();
        ServerScript behaviour = behaviour(text);
        CaughtMail messages = messages(mta);
        SessionLog sessions = new SessionLog(TRANSCRIPTS);
        CliContext world = mta.world();
        world.stopSignal().arm();
        int exit = Exit.INTERNAL;
        try (SinkServer server = server(mta, behaviour, messages, sessions)) {
            serve(mta, server, messages, sessions, text);
            exit = Exit.DONE;
            return exit;
        } catch (CommandFailure failure) {
            exit = failure.exit();
            throw failure;
        } finally {
            world.stopSignal().done(exit);
        }
    }

    private void serve(MtaCommand mta, SinkServer server, CaughtMail messages, SessionLog sessions, String text)
            throws InterruptedException {
        if (http.equals("off")) {
            serve(mta, server, messages, sessions, text, Optional.empty());
            return;
        }
        InetSocketAddress where = address("--http", http);
        try (HttpSink requests = HttpSink.start(where, server.run().script(), arrived(mta))) {
            serve(mta, server, messages, sessions, text, Optional.of(requests));
        } catch (IOException taken) {
            throw cannotListen("HTTP", "--http", where, taken);
        }
    }

    private void serve(MtaCommand mta, SinkServer server, CaughtMail messages, SessionLog sessions, String text,
            Optional<HttpSink> requests) throws InterruptedException {
        if (web.equals("off")) {
            ready(mta, server, "off", requests);
            mta.world().stopSignal().await();
            return;
        }
        InetSocketAddress where = address("--web", web);
        try (SinkWeb page = SinkWeb.start(where, server, messages, sessions, text, webNames)) {
            ready(mta, server, "http://" + RunCommand.text(Optional.of(page.address())) + "/", requests);
            mta.world().stopSignal().await();
        } catch (IOException taken) {
            throw cannotListen("the web page", "--web", where, taken);
        }
    }

    private void ready(MtaCommand mta, SinkServer server, String page, Optional<HttpSink> requests) {
        Optional<String> further = requests.map(each -> RunCommand.text(Optional.of(each.address())));
        String smtp = RunCommand.text(Optional.of(server.address()));
        String protocol = server.run().script().form().lmtp() ? "lmtp" : "smtp";
        if (jsonLines) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("event", "ready");
            fields.put(protocol, smtp);
            fields.put("web", page);
            further.ifPresent(each -> fields.put("http", each));
            print(mta, fields);
        } else {
            mta.world().out().println("ready " + protocol + "=" + smtp + " web=" + page
                    + further.map(each -> " http=" + each).orElse(""));
            mta.world().out().flush();
        }
    }

    // ---- the parts

    private String scriptText() {
        if (script.isEmpty()) {
            return lmtp ? "[server]\nprotocol = \"lmtp\"\n" : "title = \"A server that accepts all mail\"\n";
        }
        try {
            return Files.readString(script.get());
        } catch (IOException e) {
            throw new CommandFailure(Exit.CONFIGURATION, "mta: the script " + script.get() + " cannot be read: " + e,
                    e);
        }
    }

    private ServerScript behaviour(String text) {
        try {
            ServerScript read = ScriptReader.read(script.map(Path::toString).orElse("script"), text);
            if (lmtp && !read.form().lmtp()) {
                throw new CommandFailure(Exit.CONFIGURATION, "mta: " + read.file()
                        + " describes an SMTP server; write protocol = \"lmtp\" under [server], or leave out --lmtp");
            }
            return read;
        } catch (TomlMistake mistake) {
            throw new CommandFailure(Exit.CONFIGURATION, "mta: " + mistake.getMessage(), mistake);
        }
    }

    private CaughtMail messages(MtaCommand mta) {
        String[] kind = store.split(":", 2);
        String where = kind.length > 1 ? kind[1] : "";
        try {
            return switch (kind[0] + (where.isEmpty() ? "" : ":")) {
                case "memory" -> new CaughtMail(CaughtMail.Bounds.USUAL, MailFiles.NONE);
                case "discard" -> new CaughtMail(CaughtMail.Bounds.NOTHING, MailFiles.NONE);
                case "maildir:" -> new CaughtMail(CaughtMail.Bounds.USUAL, new MaildirFiles(Path.of(where)));
                case "mbox:" -> new CaughtMail(CaughtMail.Bounds.USUAL, new MboxFile(Path.of(where)));
                default -> throw new CommandFailure(Exit.USAGE, "mta: --store " + store
                        + " is unknown; write memory, discard, maildir:DIR or mbox:FILE");
            };
        } catch (IOException e) {
            throw new CommandFailure(Exit.CANNOT_START, "mta: --store " + store + " cannot be written: " + e, e);
        }
    }

    private SinkServer server(MtaCommand mta, ServerScript behaviour, CaughtMail messages, SessionLog sessions) {
        InetSocketAddress where = address("--port", port);
        try {
            return SinkServer.start(where, behaviour, messages, sessions, arrivals(mta));
        } catch (IOException taken) {
            throw cannotListen("SMTP", "--port", where, taken);
        }
    }

    private static CommandFailure cannotListen(String what, String option, InetSocketAddress where, IOException why) {
        return new CommandFailure(Exit.CANNOT_START, "mta: the sink cannot listen for " + what + " on "
                + RunCommand.text(Optional.of(where)) + ": " + why.getMessage() + "; choose another port with " + option
                + ", or " + option + " 0 for a free one", why);
    }

    private static InetSocketAddress address(String option, String text) {
        int colon = text.lastIndexOf(':');
        String number = text.substring(colon + 1);
        if (!number.matches("[0-9]{1,5}") || Integer.parseInt(number) > 65_535) {
            throw new CommandFailure(Exit.USAGE, "mta: " + option + " " + text
                    + " is not a port; write for example " + option + " 1025 or " + option + " 127.0.0.1:1025");
        }
        try {
            InetAddress host = colon < 0
                    ? InetAddress.ofLiteral("127.0.0.1")
                    : InetAddress.getByName(text.substring(0, colon));
            return new InetSocketAddress(host, Integer.parseInt(number));
        } catch (UnknownHostException unknown) {
            throw new CommandFailure(Exit.USAGE, "mta: " + option + " " + text + " names an unknown host", unknown);
        }
    }

    // ---- lines of JSON

    private Consumer<CaughtMessage> arrivals(MtaCommand mta) {
        return jsonLines ? message -> print(mta, message) : _ -> {};
    }

    private Consumer<HttpReceived> arrived(MtaCommand mta) {
        return jsonLines ? request -> print(mta, request) : _ -> {};
    }

    private void print(MtaCommand mta, HttpReceived request) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("event", "request");
        fields.put("method", request.method());
        fields.put("path", request.path());
        fields.put("status", request.status());
        fields.put("headers", request.headers());
        fields.put("size", request.body().length);
        fields.put("body", new String(request.body(), 0, Math.min(request.body().length, MOST_SHOWN),
                StandardCharsets.UTF_8));
        print(mta, fields);
    }

    private void print(MtaCommand mta, CaughtMessage message) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("event", "message");
        fields.put("id", message.id());
        fields.put("at", message.at().toString());
        fields.put("client", message.client());
        fields.put("from", message.sender());
        fields.put("to", message.recipients());
        fields.put("subject", message.header("Subject"));
        fields.put("size", message.content().length);
        print(mta, fields);
    }

    private void print(MtaCommand mta, Map<String, Object> fields) {
        PrintStream out = mta.world().out();
        synchronized (out) {
            out.println(JSON.writeValueAsString(fields));
            out.flush();
        }
    }
}
