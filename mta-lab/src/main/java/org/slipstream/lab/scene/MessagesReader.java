package org.slipstream.lab.scene;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario.Addressee;
import org.slipstream.lab.Scenario.Fortune;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.scene.Scene.SceneMessage;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;

/// Reads `[[messages]]`: sender, recipients and time of each message, or of each stream of
/// messages.
final class MessagesReader {
    private static final int MOST_MESSAGES = 100_000;
    private static final String USUAL_SENDER = "sender@here.example";

    private final WorldReader world;
    private final SequencedMap<QueueId, SceneMessage> sceneMessages;
    private final List<SimulatedMail> mails = new ArrayList<>();
    private final Set<String> names = new TreeSet<>();

    private MessagesReader(WorldReader world, SequencedMap<QueueId, SceneMessage> sceneMessages) {
        this.world = world;
        this.sceneMessages = sceneMessages;
    }

    /// @param sceneMessages gets them by id
    static List<SimulatedMail> read(Section root, WorldReader world,
            SequencedMap<QueueId, SceneMessage> sceneMessages) {
        MessagesReader reader = new MessagesReader(world, sceneMessages);
        List<Section> messages = root.sections("messages");
        messages.forEach(reader::message);
        if (messages.isEmpty()) {
            throw root.wrong("nothing is sent; add a [[messages]] with to = { \"a.example\" = 10 }");
        }
        return reader.mails;
    }

    private void message(Section section) {
        String name = section.name("name").orElse(Integer.toString(names.size() + 1));
        if (!names.add(name)) {
            throw section.wrong("name", "= \"" + name + "\" is taken by another message; give it another one");
        }
        long at = section.time("at", 0);
        Optional<Address> sender = sender(section);
        List<Addressee> recipients = recipients(section, fortune(section));
        long every = section.time("every", 0);
        int copies = copies(section, at, every);
        section.end();
        for (int i = 1; i <= copies; i++) {
            QueueId id = new QueueId(mails.size() + 1);
            mails.add(new SimulatedMail(id, at + (i - 1) * every, sender, recipients));
            sceneMessages.put(id, new SceneMessage(name, i, copies));
        }
        if (mails.size() > MOST_MESSAGES) {
            throw section.wrong("that makes " + mails.size() + " messages; a scene has room for " + MOST_MESSAGES);
        }
    }

    private static int copies(Section section, long at, long every) {
        long until = section.time("until", -1);
        long count = section.count("count", 1, MOST_MESSAGES, until >= 0 && every > 0 ? 1 + (until - at) / every : 1);
        if (until >= 0 && (every == 0 || until < at)) {
            throw section.wrong("until", every == 0
                    ? "says when a stream ends; say with every = \"10s\" how often a message comes"
                    : "is before at; a stream ends after it has begun");
        }
        if (section.has("count") && count > 1 && until >= 0) {
            throw section.wrong("count", "and until both say how many; take one of the two away");
        }
        return (int) Math.min(count, MOST_MESSAGES);
    }

    private static Optional<Address> sender(Section section) {
        String text = section.text("from").orElse(USUAL_SENDER);
        return text.isEmpty()
                ? Optional.empty()
                : Optional.of(Address.parse(text).orElseThrow(() -> section.wrong("from", "= \"" + text
                        + "\" is no address; write local@domain, or \"\" for a report")));
    }

    private List<Addressee> recipients(Section section, Fortune fortune) {
        List<Addressee> recipients = new ArrayList<>();
        for (Section.NamedSection each : section.all("to")) {
            String domain = each.name().toLowerCase(Locale.ROOT);
            if (!(each.value() instanceof Long count) || count < 1 || count > 1_000_000) {
                throw section.wrong(each.line(),
                        "to: " + each.name() + " needs a number of recipients, 1 to 1000000; write to ="
                                + " { \"" + each.name() + "\" = 10 }, with names that have dots in quotes");
            }
            if (Address.parse("r@" + domain).isEmpty()) {
                throw section.wrong(each.line(),
                        "to: \"" + domain + "\" is no domain; write for example to = { \"a.example\" = 10 }");
            }
            if (world.way(domain).isEmpty()) {
                throw section.wrong(each.line(), "no route for " + domain + "; add [[routes]] with domain = \"" + domain
                        + "\", or with domain = \"*\" for all that have none");
            }
            for (int i = 0; i < count; i++) {
                recipients.add(new Addressee(
                        new Address("r%06d".formatted(recipients.size() + 1), domain), fortune));
            }
        }
        if (recipients.isEmpty()) {
            throw section.wrong("a message without recipients; add to = { \"a.example\" = 10 }");
        }
        return recipients;
    }

    /// The reply of their server.
    private static Fortune fortune(Section section) {
        String fate = section.text("fate").orElse("welcome");
        return switch (fate) {
            case "welcome" -> new Fortune.Welcome();
            case "refused" -> new Fortune.Refused();
            case "never" -> new Fortune.Never();
            case String late when late.matches("late [0-9]{1,6}") ->
                new Fortune.Late(Integer.parseInt(late.substring(5)));
            default -> throw section.wrong("fate", "= \"" + fate
                    + "\" is unknown; write \"welcome\", \"refused\" (550), \"late 3\" (450 three times, then welcome) or"
                    + " \"never\" (450 each time)");
        };
    }
}
