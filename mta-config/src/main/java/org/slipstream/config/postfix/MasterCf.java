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

/// The services of a `master.cf`.
///
/// @param services in the order of the file
record MasterCf(List<MasterService> services) {
    private static final int FIELDS = 8;
    private static final Map<String, Integer> PORTS = Map.of("smtp", 25, "submission", 587, "smtps", 465,
            "submissions", 465, "ssmtp", 465, "lmtp", 24);

    MasterCf {
        services = List.copyOf(services);
    }

    /// @param name `smtp`, `127.0.0.1:10025`
    /// @param type `inet`, `unix`, `pass`
    /// @param command `smtpd`, `pipe`
    /// @param most processes; empty: the default
    /// @param words the arguments
    /// @param options of `-o`, before the expansion of `$name`
    record MasterService(String name, String type, Optional<Integer> most, String command, List<String> words,
            Map<String, String> options, SourcePlace place) {
        /// The host of `host:port`; empty when the interfaces of `main.cf` count.
        Optional<String> host() {
            int colon = name.lastIndexOf(':');
            return colon < 0 ? Optional.empty() : Optional.of(name.substring(0, colon));
        }

        /// Empty when the name of the port is unknown here.
        Optional<Integer> port() {
            return MasterCf.port(name.substring(name.lastIndexOf(':') + 1));
        }
    }

    static Optional<Integer> port(String word) {
        return word.matches("[0-9]{1,5}") ? Optional.of(Integer.valueOf(word)) : Optional.ofNullable(PORTS.get(word));
    }

    static MasterCf read(Path file, ImportDraft out) throws NoText {
        List<MasterService> services = new ArrayList<>();
        for (TextLine line : PostfixText.lines(file)) {
            String[] fields = line.text().split("\\s+", FIELDS + 1);
            if (fields.length < FIELDS) {
                out.mistake(line.place(), "", "\"" + MainCf.shortened(line.text())
                        + "\" is not a service: seven fields and a command");
            } else {
                List<String> words = words(fields.length > FIELDS ? fields[FIELDS] : "");
                services.add(new MasterService(fields[0], fields[1], Optional.of(fields[FIELDS - 2])
                        .filter(most -> most.matches("[1-9][0-9]{0,4}")).map(Integer::valueOf), fields[FIELDS - 1],
                        words, options(words), line.place()));
            }
        }
        return new MasterCf(services);
    }

    // A comma is a part of a word here.
    private static List<String> words(String arguments) {
        return MainCf.words(arguments.replace(",", "\u0000")).stream().map(word -> word.replace("\u0000", ","))
                .toList();
    }

    // `-o name=value`, or `-o { name = value with blanks }`.
    private static Map<String, String> options(List<String> words) {
        Map<String, String> options = new LinkedHashMap<>();
        boolean option = false;
        for (String text : words) {
            if (option || text.startsWith("-o") && text.length() > 2) {
                String pair = text.startsWith("-o") ? text.substring(2) : text;
                String plain = pair.startsWith("{") ? pair.substring(1, pair.length() - 1).strip() : pair;
                int equals = plain.indexOf('=');
                if (equals > 0) {
                    options.put(plain.substring(0, equals).strip(), plain.substring(equals + 1).strip());
                }
                option = false;
            } else {
                option = text.equals("-o");
            }
        }
        return options;
    }
}
