package org.slipstream.config.postfix;

import org.slipstream.config.postfix.ImportDraft.RemarkKind;
import org.slipstream.config.postfix.ImportTopic.PostfixFiles;
import org.slipstream.config.postfix.MasterCf.MasterService;
import org.slipstream.local.program.ProgramArguments;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The delivery services of `master.cf` with names of the operator, as sections `[transport.NAME]`. A service is
/// translated when a route needs it.
final class TransportTopic {
    /// Services that each Postfix has, and whose transport each server has.
    private static final Map<String, String> USUAL = Map.of("smtp", "smtp", "relay", "smtp", "lmtp", "lmtp", "local",
            "local", "virtual", "local", "discard", "discard");
    private static final String PIPE = "pipe";
    private static final List<String> KINDS = List.of("smtp", "lmtp", "discard", PIPE);
    private static final String ARGV = "argv=";
    private static final String USER = "user=";
    private static final String FLAGS = "flags=";

    private TransportTopic() {}

    /// The transport of a service that routes name.
    ///
    /// @param name of our transport
    /// @param kind such as `smtp`
    record ImportedTransport(String name, String kind) {}

    /// The name of a transport in `mta.toml`, when there is one.
    static Optional<String> name(String service, ImportDraft out) {
        return Optional.ofNullable(USUAL.get(service))
                .or(() -> Optional.of(ours(service)).filter(name -> out.has("transport." + name + ".kind")));
    }

    private static String ours(String service) {
        return service.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// Makes a section for a service; empty when there is no such service, or it cannot be translated, which is told.
    static Optional<ImportedTransport> of(String service, PostfixFiles in, ImportDraft out) {
        Optional<MasterService> found = in.services().stream().flatMap(master -> master.services().stream())
                .filter(each -> each.name().equals(service) && KINDS.contains(each.command())).findFirst();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        MasterService master = found.get();
        String name = ours(service);
        String section = "transport." + name;
        String source = master.place() + " " + service;
        if (master.command().equals(PIPE) && !program(master, section, source, out)) {
            return Optional.empty();
        }
        out.set(section + ".kind", SimpleValues.quoted(master.command()), source);
        master.most().ifPresent(most -> out.set(section + ".lanes", String.valueOf(most), source));
        return Optional.of(new ImportedTransport(name, master.command()));
    }

    /// `flags=R user=lists argv=/usr/local/bin/lists ${recipient}`.
    private static boolean program(MasterService service, String section, String source, ImportDraft out) {
        List<String> command = new ArrayList<>();
        Optional<String> user = Optional.empty();
        for (String word : service.words()) {
            if (!command.isEmpty()) {
                command.add(braced(word));
            } else if (word.startsWith(ARGV)) {
                command.add(braced(word.substring(ARGV.length())));
            } else if (word.startsWith(USER)) {
                user = Optional.of(word.substring(USER.length()));
            } else if (!word.startsWith(FLAGS)) {
                notMapped(service, "\"" + word + "\" has no setting", out);
            } else if (!word.substring(FLAGS.length()).chars().allMatch(flag -> "DROXhu".indexOf(flag) >= 0)) {
                notMapped(service, word + ": the program gets the message with LF and Return-Path, and nothing else is"
                        + " added or quoted; a script in front of it can do that", out);
            }
        }
        Optional<String> unknown = command.stream().map(ProgramArguments::unknownName).flatMap(Optional::stream)
                .findFirst();
        if (command.isEmpty() || unknown.isPresent()) {
            notMapped(service, unknown.map(name -> "there is no ${" + name + "} here; there are "
                    + String.join(", ", ProgramArguments.names())).orElse("it has no argv="), out);
            return false;
        }
        user.ifPresent(name -> out.set(section + ".user", SimpleValues.quoted(name), source));
        out.set(section + ".command", command.stream().map(SimpleValues::quoted)
                .collect(Collectors.joining(", ", "[", "]")), source);
        return true;
    }

    private static void notMapped(MasterService service, String reason, ImportDraft out) {
        out.remark(RemarkKind.NOT_MAPPED, service.place(), service.name(), reason);
    }

    /// `$name` and `$(name)` are `${name}`; a word in braces may have blanks.
    private static String braced(String word) {
        String plain = word.startsWith("{") && word.endsWith("}") ? word.substring(1, word.length() - 1).strip() : word;
        return plain.replaceAll("\\$\\(([a-z_]+)\\)", "\\${$1}").replaceAll("\\$([a-z_]+)", "\\${$1}");
    }
}
