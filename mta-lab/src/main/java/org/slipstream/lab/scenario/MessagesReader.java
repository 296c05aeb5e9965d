package org.slipstream.lab.scenario;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.lab.scenario.ScenarioFile.ScenarioMessage;
import org.slipstream.settings.TomlSection;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;

/// Reads `[[messages]]`: the sender, recipients and time of each message or stream of messages.
final class MessagesReader {
    private static final int MOST_MESSAGES = 100_000;
    private static final String USUAL_SENDER = "sender@here.example";

    private final NetworkReader network;
    private final SequencedMap<QueueId, ScenarioMessage> named;
    private final List<SimulatedMail> mails = new ArrayList<>();
    private final Set<String> names = new TreeSet<>();
    private long recipientsLeft;

    private MessagesReader(NetworkReader network, SequencedMap<QueueId, ScenarioMessage> named, long mostRecipients) {
        this.recipientsLeft = mostRecipients;
        this.network = network;
        this.named = named;
    }

    /// @param named gets the messages by id
    /// @param mostRecipients of all messages together
    static List<SimulatedMail> read(TomlSection root, NetworkReader network,
            SequencedMap<QueueId, ScenarioMessage> named, long mostRecipients) {
        MessagesReader reader = new MessagesReader(network, named, mostRecipients);
        List<TomlSection> messages = root.sections("messages");
        messages.forEach(reader::message);
        if (messages.isEmpty()) {
            throw root.wrong("there is no message; add [[messages]] with to = { \"a.example\" = 10 }");
        }
        return reader.mails;
    }

    private void message(TomlSection section) {
        String name = name(section).orElse(Integer.toString(names.size() + 1));
        if (!names.add(name)) {
            throw section.wrong("name", "= \"" + name + "\" is the name of another message; choose another name");
        }
        long at = section.millis("at", 0);
        Optional<Address> sender = sender(section);
        List<SimulatedRecipient> recipients = recipients(section, script(section));
        long every = section.millis("every", 0);
        int copies = copies(section, at, every);
        section.end();
        count(section, (long) recipients.size() * (copies - 1));
        for (int i = 1; i <= copies; i++) {
            QueueId id = new QueueId(mails.size() + 1);
            mails.add(new SimulatedMail(id, at + (i - 1) * every, sender, recipients));
            named.put(id, new ScenarioMessage(name, i, copies));
        }
        if (mails.size() > MOST_MESSAGES) {
            throw section
                    .wrong("that makes " + mails.size() + " messages; the limit of a scenario is " + MOST_MESSAGES);
        }
    }

    /// Before they are in memory.
    private void count(TomlSection section, long recipients) {
        recipientsLeft -= recipients;
        if (recipientsLeft < 0) {
            throw section.wrong("here the scenario has more recipients than it may have in this place; run it with"
                    + " mta lab run");
        }
    }

    private static int copies(TomlSection section, long at, long every) {
        long until = section.millis("until", -1);
        long count = section.count("count", 1, MOST_MESSAGES, until >= 0 && every > 0 ? 1 + (until - at) / every : 1);
        if (until >= 0 && (every == 0 || until < at)) {
            throw section.wrong("until", every == 0
                    ? "needs every; add every = \"10s\", the interval of the stream"
                    : "is before at; make until later than at");
        }
        if (section.has("count") && count > 1 && until >= 0) {
            throw section.wrong("count", "and until both limit the stream; remove one of them");
        }
        return (int) Math.min(count, MOST_MESSAGES);
    }

    private static Optional<Address> sender(TomlSection section) {
        String text = section.text("from").orElse(USUAL_SENDER);
        return text.isEmpty()
                ? Optional.empty()
                : Optional.of(Address.parse(text).orElseThrow(() -> section.wrong("from", "= \"" + text
                        + "\" is not an address; write local@domain, or \"\" for a report")));
    }

    private List<SimulatedRecipient> recipients(TomlSection section, ReplyScript script) {
        List<SimulatedRecipient> recipients = new ArrayList<>();
        for (TomlSection.NamedValue each : section.all("to")) {
            String domain = each.name().toLowerCase(Locale.ROOT);
            if (!(each.value() instanceof Long count) || count < 1 || count > 1_000_000) {
                throw section.wrong(each.line(),
                        "to: " + each.name() + " needs a number of recipients, 1 to 1000000; write to ="
                                + " { \"" + each.name() + "\" = 10 }, with names that have dots in quotes");
            }
            if (Address.parse("r@" + domain).isEmpty()) {
                throw section.wrong(each.line(),
                        "to: \"" + domain + "\" is not a domain; write for example to = { \"a.example\" = 10 }");
            }
            if (network.servers(domain).isEmpty()) {
                throw section.wrong(each.line(), "no route for " + domain + "; add [[routes]] with domain = \"" + domain
                        + "\", or with domain = \"*\" for all other domains");
            }
            count(section, count);
            for (int i = 0; i < count; i++) {
                recipients.add(new SimulatedRecipient(
                        new Address("r%06d".formatted(recipients.size() + 1), domain), script));
            }
        }
        if (recipients.isEmpty()) {
            throw section.wrong("the message has no recipients; add to = { \"a.example\" = 10 }");
        }
        return recipients;
    }

    /// The replies of the server.
    private static ReplyScript script(TomlSection section) {
        String script = section.text("reply").orElse("welcome");
        return switch (script) {
            case "welcome" -> new ReplyScript.Welcome();
            case "refused" -> new ReplyScript.Refused();
            case "never" -> new ReplyScript.Never();
            case String late when late.matches("late [0-9]{1,6}") ->
                new ReplyScript.Late(Integer.parseInt(late.substring(5)));
            default -> throw section.wrong("reply", "= \"" + script
                    + "\" is unknown; write \"welcome\", \"refused\" (550), \"late 3\" (450 three times, then welcome) or"
                    + " \"never\" (450 each time)");
        };
    }

    /// A name that can be part of a sequence.
    private static Optional<String> name(TomlSection section) {
        return section.text("name").map(name -> {
            if (!name.matches("[^\\s()×#]{1,24}")) {
                throw section.wrong("name", "= \"" + name
                        + "\" is not a name; use at most 24 characters without spaces");
            }
            return name;
        });
    }
}
