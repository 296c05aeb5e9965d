package org.slipstream.guard.rspamd;

import org.slipstream.core.SpamMark;
import org.slipstream.smtpin.policy.Header;
import org.slipstream.smtpin.policy.HeaderChange;
import org.slipstream.smtpin.policy.HeaderChange.FieldRemoval;
import org.slipstream.smtpin.policy.Ruling;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// The answer of Rspamd about one message, as the treatment of that message. The actions mean here
/// what they mean for Rspamd's own proxy between a mail server and its workers:
///
/// | Action | Message |
/// |---|---|
/// | `reject`, `discard` | refused with 550 5.7.1 |
/// | `soft reject` | deferred with 451 4.7.1 |
/// | `add header`, `quarantine` | accepted with `X-Spam: Yes` |
/// | `rewrite subject` | accepted with the subject of the answer |
/// | `no action`, `greylist`, an action of the operator | accepted |
///
/// `greylist` is no deferral: where its greylisting is on, Rspamd turns this action into `soft
/// reject` for as long as the sender has to wait. Without greylisting, a deferral would never end.
///
/// A message is never discarded, because this server acknowledges only mail that it keeps.
final class RspamdReply {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int LONGEST_TEXT = 400;

    private final JsonNode root;
    private final JsonNode milter;
    private final String action;

    private RspamdReply(JsonNode root, String action) {
        this.root = root;
        this.milter = root.path("milter");
        this.action = action;
    }

    /// @throws IOException the text is not an answer of Rspamd
    static RspamdReply read(byte[] json) throws IOException {
        try {
            JsonNode root = JSON.readTree(json);
            JsonNode action = root.path("action");
            if (!action.isString()) {
                throw new IOException("the answer has no action");
            }
            return new RspamdReply(root, action.stringValue());
        } catch (JacksonException unreadable) {
            throw new IOException("the answer is no JSON", unreadable);
        }
    }

    Ruling ruling() {
        if (milter.path("no_action").asBoolean(false)) {
            return accept(added(Stream.of(FieldText.of("X-Rspamd-Action", action))));
        }
        return switch (action) {
            case "reject", "discard" -> Ruling.reject(550, "5.7.1", text("Spam message rejected"));
            case "soft reject" -> Ruling.reject(451, "4.7.1", text("Try again later"));
            case "add header", "quarantine" -> accept(spamHeader());
            case "rewrite subject" -> accept(subject().map(text -> replaced("Subject", text))
                    .orElseGet(this::spamHeader));
            default -> accept(HeaderChange.NONE);
        };
    }

    private Ruling accept(HeaderChange ofAction) {
        HeaderChange change = ofMilter().and(ofAction).and(signatures());
        Optional<String> tag = action.equals("no action") ? Optional.empty() : Optional.of(action + score());
        return new Ruling.Pass(tag, change);
    }

    private String score() {
        return root.path("score").isNumber()
                ? String.format(Locale.ROOT, " %.2f/%.2f", root.path("score").asDouble(),
                        root.path("required_score").asDouble(0))
                : "";
    }

    /// The text for the client, in ASCII and in one line.
    private String text(String otherwise) {
        String given = root.path("messages").path("smtp_message").asString("").strip();
        String ascii = given.replaceAll("[^ -~]+", " ").strip();
        return ascii.isEmpty() ? otherwise : ascii.substring(0, Math.min(LONGEST_TEXT, ascii.length()));
    }

    private Optional<String> subject() {
        return Optional.of(root.path("subject").asString("")).filter(text -> !text.isBlank());
    }

    // ---- header

    private HeaderChange spamHeader() {
        JsonNode other = milter.path("spam_header");
        if (other.isString()) {
            return replaced(SpamMark.FIELD, other.stringValue());
        }
        return other.isObject()
                ? other.properties().stream().map(each -> replaced(each.getKey(), each.getValue().asString("")))
                        .reduce(HeaderChange.NONE, HeaderChange::and)
                : replaced(SpamMark.FIELD, SpamMark.VALUE);
    }

    private HeaderChange ofMilter() {
        List<FieldRemoval> removals = milter.path("remove_headers").properties().stream()
                .flatMap(each -> places(each.getValue()).map(place -> new FieldRemoval(each.getKey(), place)))
                .toList();
        return new HeaderChange(removals, List.of()).and(added(milter.path("add_headers").properties().stream()
                .flatMap(each -> values(each.getValue()).map(value -> new Addition(each.getKey(), value)))
                .sorted(Comparator.comparingInt(Addition::order)).map(Addition::field)));
    }

    private HeaderChange signatures() {
        return added(
                values(root.path("dkim-signature")).map(value -> FieldText.of("DKIM-Signature", value.asString(""))));
    }

    private static Stream<Integer> places(JsonNode places) {
        return values(places).filter(JsonNode::isInt).map(JsonNode::intValue);
    }

    /// One value, or a list of them.
    private static Stream<JsonNode> values(JsonNode node) {
        return node.isArray() ? node.valueStream() : node.isMissingNode() ? Stream.empty() : Stream.of(node);
    }

    private record Addition(String name, JsonNode value) {
        /// Fields without a place come last.
        int order() {
            int place = value.path("order").asInt(-1);
            return place < 0 ? Integer.MAX_VALUE : place;
        }

        Optional<Header.Field> field() {
            return FieldText.of(name, value.isObject() ? value.path("value").asString("") : value.asString(""));
        }
    }

    private static HeaderChange replaced(String name, String value) {
        return new HeaderChange(List.of(new FieldRemoval(name, 0)), List.of())
                .and(added(Stream.of(FieldText.of(name, value))));
    }

    private static HeaderChange added(Stream<Optional<Header.Field>> fields) {
        return new HeaderChange(List.of(), fields.flatMap(Optional::stream).toList());
    }
}
