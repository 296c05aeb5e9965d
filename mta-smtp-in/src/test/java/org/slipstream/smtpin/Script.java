package org.slipstream.smtpin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The lines of a dialogue file; [DialogueTest] explains them.
record Script(String name, List<String> lines) {
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:([rnt0\\\\])|x([0-9a-f]{2}))");
    private static final Pattern REPEAT = Pattern.compile("\\(([^()]*)\\)\\*([0-9]+)");

    static List<Script> all(String folder) {
        try (Stream<Path> files = Files.list(
                Path.of(Objects.requireNonNull(Script.class.getResource("/" + folder)).toURI()))) {
            return files.sorted().map(Script::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new LinkageError("a resource has a place", e);
        }
    }

    static Script read(Path file) {
        try {
            return new Script(file.getFileName().toString(), Files.readAllLines(file).stream()
                    .filter(line -> !line.isBlank() && !line.startsWith("#")).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<String> settings() {
        return lines.stream().filter(line -> line.startsWith("set: ")).map(line -> line.substring(5)).toList();
    }

    boolean usesTls() {
        return lines.contains("t:") || settings().contains("tls=1");
    }

    /// All lines of the client, as if it did not wait.
    byte[] stream() {
        StringBuilder all = new StringBuilder();
        for (String line : lines) {
            String text = text(line);
            switch (line.substring(0, line.indexOf(':'))) {
                case "c", "p" -> all.append(unescape(text)).append("\r\n");
                case "r" -> all.append(unescape(text));
                case "b" -> all.append(base64(text)).append("\r\n");
                case "ehlo" -> all.append("EHLO ").append(text).append("\r\n");
                default -> {
                    // The lines of the server.
                }
            }
        }
        return all.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public String toString() {
        return name;
    }

    static String text(String line) {
        int colon = line.indexOf(':');
        return colon + 2 <= line.length() ? line.substring(colon + 2) : "";
    }

    static String base64(String text) {
        int colon = text.indexOf(':');
        String plain = text.substring(colon + 1).replace('|', '\0');
        return text.substring(0, Math.max(0, colon))
                + Base64.getEncoder().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    /// One character per octet.
    static String unescape(String text) {
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
}
