package org.slipstream.smtpin;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.core.Recipient;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/// Plays each file of `dialogues/` against a listener of its own. A file is one situation:
///
/// ```
/// set: recipients=2        a limit of ListenerConfig; `disk=write` makes the disk full in that call
/// c: text                  the client sends a line
/// p: text                  the same, but held back until the next c: or r: (pipelining)
/// r: text\r\n              the client sends exactly this; \r \n \t \0 \xNN \\, and (text)*1000
/// s: text                  the server answers this line; … stands for anything
/// x:                       the server closes
/// mail: from to,to text    the house has accepted this message, and it is the next; `-` is the null sender
/// mail: none               the house has accepted nothing more
/// ```
class DialogueTest {
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:([rnt0\\\\])|x([0-9a-f]{2}))");
    private static final Pattern REPEAT = Pattern.compile("\\(([^()]*)\\)\\*([0-9]+)");

    static Stream<String> situations() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("situations")
    void dialogue(String file) throws Exception {
        List<String> lines = Files.readAllLines(folder().resolve(file)).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
        Letters house = new Letters();
        try (SmtpListener listener = Ports.started(config(lines, house), house); Raw client = Raw.to(listener)) {
            for (String line : lines) {
                try {
                    play(line, client, house);
                } catch (IOException | AssertionError e) {
                    fail(file + ", at \"" + line + "\": " + e.getMessage(), e);
                }
            }
        }
        assertThat(house.openDrafts).as("drafts left open").hasValue(0);
    }

    private final StringBuilder heldBack = new StringBuilder();

    private void play(String line, Raw client, Letters house) throws Exception {
        int colon = line.indexOf(':');
        String text = colon + 2 <= line.length() ? line.substring(colon + 2) : "";
        switch (line.substring(0, colon)) {
            case "set" -> {
            }
            case "p" -> heldBack.append(unescape(text)).append("\r\n");
            case "c" -> send(client, unescape(text) + "\r\n");
            case "r" -> send(client, unescape(text));
            case "s" -> assertThat(client.line()).matches(
                    Stream.of(text.split("…", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
            case "x" -> assertThat(client.isClosedByServer()).as("the server has closed").isTrue();
            case "mail" -> mail(text, house);
            default -> throw new IllegalArgumentException(line);
        }
    }

    private void send(Raw client, String text) throws IOException {
        String all = heldBack + text;
        heldBack.setLength(0);
        client.send(all);
    }

    private static void mail(String text, Letters house) throws InterruptedException {
        if (text.equals("none")) {
            assertThat(house.accepted).isEmpty();
            return;
        }
        Letters.Accepted mail = Objects.requireNonNull(house.accepted.poll(10, TimeUnit.SECONDS), "no mail came");
        String seen = mail.envelope().sender().map(Object::toString).orElse("-") + " "
                + mail.envelope().recipients().stream().map(Recipient::address).map(Object::toString)
                        .collect(Collectors.joining(","));
        assertThat(seen + " " + mail.asSent()).isEqualTo(unescape(text));
    }

    private static ListenerConfig config(List<String> lines, Letters house) {
        ListenerConfig config = Ports.config();
        for (String line : lines) {
            if (line.startsWith("set: ")) {
                String[] setting = line.substring(5).split("=");
                if (setting[0].equals("disk")) {
                    house.disk = setting[1].toLowerCase(Locale.ROOT);
                } else {
                    config = Ports.with(config, setting[0], Long.parseLong(setting[1]));
                }
            }
        }
        return config;
    }

    private static String unescape(String text) {
        String repeated = REPEAT.matcher(text)
                .replaceAll(m -> Matcher.quoteReplacement(m.group(1).repeat(Integer.parseInt(m.group(2)))));
        String utf8 = new String(repeated.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return ESCAPE.matcher(utf8).replaceAll(m -> Matcher.quoteReplacement(m.group(2) != null
                ? String.valueOf((char) Integer.parseInt(m.group(2), 16))
                : switch (m.group(1)) {
                    case "r" -> "\r";
                    case "n" -> "\n";
                    case "t" -> "\t";
                    case "0" -> "\0";
                    default -> "\\";
                }));
    }

    private static Path folder() throws URISyntaxException {
        return Path.of(Objects.requireNonNull(DialogueTest.class.getResource("/dialogues")).toURI());
    }
}
