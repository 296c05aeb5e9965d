package org.slipstream.local.program;

import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The arguments of a program, with the facts of a delivery in place of `${name}`.
///
/// An argument that names a fact of a recipient stands there once for each recipient, as in Postfix. An argument
/// that begins with such a fact never begins with `-` or is empty because of it: a sender could otherwise
/// choose an option of the program ([#refusal]).
public final class ProgramArguments {
    private static final Pattern NAME = Pattern.compile("\\$\\{([a-z_]+)}");

    /// The facts of a recipient, and of the message.
    private static final List<String> OF_RECIPIENT = List.of("recipient", "original_recipient", "user", "extension",
            "mailbox", "domain");
    private static final List<String> OF_MESSAGE = List.of("sender", "nexthop", "queue_id", "size");

    private final List<String> arguments;
    private final Optional<String> refusal;

    private ProgramArguments(List<String> arguments, Optional<String> refusal) {
        this.arguments = List.copyOf(arguments);
        this.refusal = refusal;
    }

    public static List<String> names() {
        return Stream.concat(OF_RECIPIENT.stream(), OF_MESSAGE.stream()).sorted().toList();
    }

    /// The first name in the text that is none of the known ones.
    public static Optional<String> unknownName(String template) {
        return NAME.matcher(template).results().map(name -> name.group(1)).filter(name -> !names().contains(name))
                .findFirst();
    }

    /// The facts of one delivery.
    ///
    /// @param nextHop of the route
    /// @param delimiter of a local part and its extension; empty: none
    public record PipedMail(QueueId id, Envelope envelope, List<Recipient> recipients, String nextHop, long sizeBytes,
            Optional<Character> delimiter) {}

    static ProgramArguments of(List<String> templates, PipedMail mail) {
        List<String> arguments = new ArrayList<>();
        Optional<String> refusal = Optional.empty();
        for (String template : templates) {
            List<Map<String, String>> facts = OF_RECIPIENT.stream()
                    .anyMatch(name -> template.contains("${" + name + "}"))
                            ? mail.recipients().stream().map(recipient -> facts(mail, Optional.of(recipient))).toList()
                            : List.of(facts(mail, Optional.empty()));
            for (Map<String, String> each : facts) {
                String argument = filled(template, each);
                if (argument.startsWith("-") && !template.startsWith("-")) {
                    refusal = refusal.or(() -> Optional.of(argument));
                }
                arguments.add(argument);
            }
        }
        return new ProgramArguments(arguments, refusal);
    }

    List<String> arguments() {
        return arguments;
    }

    /// An argument that would be an option only because of an address.
    Optional<String> refusal() {
        return refusal;
    }

    private static String filled(String template, Map<String, String> facts) {
        return NAME.matcher(template).replaceAll(
                name -> Matcher.quoteReplacement(facts.getOrDefault(name.group(1), name.group())));
    }

    private static Map<String, String> facts(PipedMail mail, Optional<Recipient> recipient) {
        Map<String, String> facts = new TreeMap<>();
        facts.put("sender", mail.envelope().sender().map(Address::toString).orElse(""));
        facts.put("nexthop", mail.nextHop());
        facts.put("queue_id", mail.id().toString());
        facts.put("size", String.valueOf(mail.sizeBytes()));
        recipient.ifPresent(each -> {
            Address address = each.address();
            String local = address.localPart();
            int cut = mail.delimiter().map(local::indexOf).filter(at -> at > 0).orElse(-1);
            facts.put("recipient", address.toString());
            facts.put("original_recipient", original(each));
            facts.put("mailbox", local);
            facts.put("user", cut < 0 ? local : local.substring(0, cut));
            facts.put("extension", cut < 0 ? "" : local.substring(cut + 1));
            facts.put("domain", address.domain());
        });
        return facts;
    }

    private static String original(Recipient recipient) {
        String original = recipient.original().orElseGet(recipient.address()::toString);
        return original.substring(original.indexOf(';') + 1);
    }
}
