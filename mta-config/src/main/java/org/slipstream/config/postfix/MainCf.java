package org.slipstream.config.postfix;

import org.slipstream.config.postfix.PostfixText.NoText;
import org.slipstream.config.postfix.PostfixText.TextLine;
import org.slipstream.settings.SourcePlace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A `main.cf` after reading. The last line of a name counts, and a name without a line has Postfix's
/// default, as far as the import needs one.
final class MainCf {
    private static final Pattern USE = Pattern.compile("\\$[({]?([A-Za-z0-9_-]+)");

    private final Path file;
    private final SequencedMap<String, RawLine> lines = new LinkedHashMap<>();
    private final Map<String, String> defaults;
    private final ParameterExpansion expansion = new ParameterExpansion(this::raw);

    /// A line `name = value`.
    private record RawLine(String value, SourcePlace place) {}

    /// A parameter as `main.cf` sets it.
    ///
    /// @param value without `$name`
    record PostfixSetting(String name, String value, SourcePlace place) {
        /// The words between blanks and commas. Braces keep words together.
        List<String> words() {
            return MainCf.words(value);
        }

        String source() {
            return place + " " + name;
        }

        boolean isYes() {
            return value.equalsIgnoreCase("yes");
        }
    }

    /// @param machine the name of this machine, for `myhostname`
    /// @param out gets the mistakes
    MainCf(Path file, String machine, ImportDraft out) throws NoText {
        this.file = file;
        this.defaults = defaults(file, machine);
        for (TextLine line : PostfixText.lines(file)) {
            int equals = line.text().indexOf('=');
            String name = equals < 0 ? "" : line.text().substring(0, equals).strip();
            if (name.isEmpty() || name.contains(" ")) {
                out.mistake(line.place(), "", "\"" + shortened(line.text()) + "\" is not \"name = value\"");
            } else {
                lines.put(name, new RawLine(line.text().substring(equals + 1).strip(), line.place()));
            }
        }
    }

    static String shortened(String text) {
        return text.length() <= 60 ? text : text.substring(0, 57) + "...";
    }

    private static Map<String, String> defaults(Path file, String machine) {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults.put("myhostname", machine.contains(".") ? machine : machine + ".localdomain");
        defaults.put("myorigin", "$myhostname");
        defaults.put("mydestination", "$myhostname, localhost.$mydomain, localhost");
        defaults.put("mail_name", "Postfix");
        defaults.put("compatibility_level", "0");
        defaults.put("mynetworks_style", "${{$compatibility_level} <level {2} ? {subnet} : {host}}");
        defaults.put("inet_interfaces", "all");
        defaults.put("config_directory", Optional.ofNullable(file.toAbsolutePath().getParent()).map(Path::toString)
                .orElse("/etc/postfix"));
        defaults.put("queue_directory", "/var/spool/postfix");
        defaults.put("data_directory", "/var/lib/postfix");
        defaults.put("command_directory", "/usr/sbin");
        defaults.put("daemon_directory", "/usr/lib/postfix/sbin");
        defaults.put("default_database_type", "hash");
        defaults.put("smtpd_sasl_path", "smtpd");
        return defaults;
    }

    private String raw(String name) {
        RawLine line = lines.get(name);
        if (line != null) {
            return line.value();
        }
        if (name.equals("mydomain")) {
            // Postfix takes the host's name without its first label.
            String host = raw("myhostname");
            int dot = host.indexOf('.');
            return host.contains("$") || dot < 0 ? "localdomain" : host.substring(dot + 1);
        }
        return defaults.getOrDefault(name, "");
    }

    Path file() {
        return file;
    }

    String fileName() {
        return String.valueOf(file.getFileName());
    }

    Set<String> names() {
        return lines.sequencedKeySet();
    }

    SourcePlace place(String name) {
        return lines.containsKey(name) ? lines.get(name).place() : new SourcePlace(fileName(), 0);
    }

    /// Present when `main.cf` has the name.
    Optional<PostfixSetting> given(String name) throws ParameterExpansion.NoMeaning {
        return lines.containsKey(name)
                ? Optional.of(new PostfixSetting(name, value(name), place(name)))
                : Optional.empty();
    }

    /// The value of a name or its default.
    String value(String name) throws ParameterExpansion.NoMeaning {
        return expansion.parameter(name).strip();
    }

    /// A text of another place, such as `master.cf`.
    String expand(String text) throws ParameterExpansion.NoMeaning {
        return expansion.text(text);
    }

    /// The names that values use: an own name that one of them uses is no mistake.
    Set<String> used() {
        return lines.values().stream().flatMap(line -> USE.matcher(line.value()).results())
                .map(match -> match.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        int depth = 0;
        for (char c : (text + " ").toCharArray()) {
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            if (depth > 0 || !Character.isWhitespace(c) && c != ',') {
                word.append(c);
            } else if (!word.isEmpty()) {
                words.add(word.toString());
                word.setLength(0);
            }
        }
        return words;
    }
}
