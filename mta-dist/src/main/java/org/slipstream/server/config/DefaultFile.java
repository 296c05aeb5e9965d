package org.slipstream.server.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/// The `mta.toml` that the first start writes: every key with its default and what it means.
///
/// The defaults are commented out. So an unchanged file follows the defaults of a later version,
/// and changes are visible at a glance.
public final class DefaultFile {
    private static final int WIDTH = 100;

    private DefaultFile() {}

    /// Writes the file when there is none. An existing file is never changed.
    ///
    /// @return true when it was written
    public static boolean writeIfMissing(Path file) throws IOException {
        if (Files.exists(file)) {
            return false;
        }
        Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
        Path aside = Files.createTempFile(folder, "mta", ".new");
        try {
            Files.write(aside, render(Schema.SERVER, HostName.ofMachine()).getBytes(StandardCharsets.UTF_8));
            Files.move(aside, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(aside);
        }
        return true;
    }

    /// @param machine the name that stands for the hostname
    static String render(Schema schema, String machine) {
        List<String> lines = new ArrayList<>();
        lines.add("# Settings of this mail server. Lines that begin with # are comments or defaults;");
        lines.add("# to change a setting, take the # away and write another value. `mta check` reports every mistake.");
        lines.add(
                "# Times: \"250ms\", \"300s\", \"5m\", \"4h\", \"5d\". Sizes: \"128KiB\", \"25MiB\", \"64MB\", or bytes.");
        schema.sections().forEach((section, doc) -> section(lines, schema, section, doc, machine));
        return String.join("\n", lines) + "\n";
    }

    private static void section(List<String> lines, Schema schema, String section, String doc, String machine) {
        lines.add("");
        if (!section.isEmpty()) {
            comment(lines, doc);
            lines.add("[" + section + "]");
        }
        switch (section) {
            case Schema.ALIASES -> {
                lines.add("#   \"sales\" = [\"alice@example.org\", \"bob@elsewhere.example\"]");
                lines.add("#   \"info@example.org\" = \"alice@example.org\"");
            }
            case Schema.ROUTES -> {
                lines.add(
                        "#   \"far.example\" = \"smtp:192.0.2.1:25\"            # this host, no look-up of MX records");
                lines.add("#   \".internal.example\" = \"lmtp:127.0.0.1:2424\"");
                lines.add("#   \"box.example\" = \"lmtp:unix:/run/lmtp.sock\"");
                lines.add("#   \"nowhere.example\" = \"discard\"");
                lines.add("#\"*\" = \"mx\"");
            }
            case Schema.TRANSPORT -> {
                lines.add(
                        "#   smtp.destination-rate-delay = \"1s\"           # one of the keys of [scheduler], [concurrency]");
                lines.add("#   local.lanes = 4                             # and lanes, lanes-per-destination,");
                lines.add("#                                               # recipients-per-delivery of [queue]");
            }
            case Schema.RETRY -> {
                lines.add("#   [retry.\"slow\"]");
                lines.add("#   kind = \"factors\"                            # or age-doubling, quadratic, list");
                lines.add("#   interval = \"1m\"");
                lines.add("#   factors = \"1 1 2 3 5 8 13 21 34\"");
                lines.add("#   jitter = \"10%\"");
                lines.add("#   on-greylisting = \"qmail\"                   # another policy for one class of errors");
            }
            case Schema.DESTINATION -> {
                lines.add("#   [destination.\"provider.example\"]               # a domain, \".suffix\", \"*\",");
                lines.add("#   rate = \"100/1h\"                              # \"mx:host\" or \"smtp:host:port\"");
                lines.add("#   lanes = 2");
            }
            case Schema.RING -> {
                lines.add("#   [ring.\"bulk\"]                               # for clauses with ring = \"bulk\"");
                lines.add("#   lanes = 20");
            }
            default -> schema.keys(section).forEach(key -> {
                comment(lines, key.doc());
                lines.add("#" + key.name() + " = " + key.defaultValue(machine).toToml());
            });
        }
    }

    private static void comment(List<String> lines, String doc) {
        StringBuilder line = new StringBuilder("#");
        for (String word : doc.replace("`", "").split(" ")) {
            if (line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line = new StringBuilder("#");
            }
            line.append(' ').append(word);
        }
        lines.add(line.toString());
    }
}
