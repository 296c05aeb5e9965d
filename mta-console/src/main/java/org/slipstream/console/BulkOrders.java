package org.slipstream.console;

import org.slipstream.admin.FilterText;
import org.slipstream.admin.operations.Operations.MessageCount;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.order.OrderForm;
import org.slipstream.picture.Template;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Orders for many messages: those that the visitor has ticked, or all that match a filter.
///
/// All that match are ordered in two steps. The first changes nothing: it counts them and shows a few.
/// Its form has a token that binds the second step to the order, the filter and the number that was
/// shown. When more messages match by then, nothing is done.
final class BulkOrders {
    /// Beyond it a visitor has to say that this number is meant.
    static final long CEILING = 10_000;
    private static final int SAMPLE = 10;
    private static final String HASH = "HmacSHA256";
    private static final Template LOOK = Template.of(BulkOrders.class, "/console/look.html");

    private final SecretKeySpec key;

    BulkOrders() {
        byte[] octets = new byte[32];
        new SecureRandom().nextBytes(octets);
        this.key = new SecretKeySpec(octets, HASH);
    }

    /// An order with its arguments, for a filter.
    private record Wanted(OrderForm<MessageOrder> form, SequencedMap<String, String> arguments,
            SequencedMap<String, String> filter) {
        static Wanted of(FormText fields) {
            String word = fields.get("order").orElse("");
            OrderForm<MessageOrder> form = OrderForm.of(MessageOrder.class).stream()
                    .filter(each -> each.word().equals(word)).findFirst()
                    .orElseThrow(() -> new RefusedException(400, "Choose an order."));
            SequencedMap<String, String> arguments = new LinkedHashMap<>();
            form.parts().stream().filter(part -> !part.name().equals(OrderForm.AUTHOR)).forEach(part -> fields
                    .get(part.name()).or(() -> fields.get("argument"))
                    .ifPresent(value -> arguments.put(part.name(), value)));
            SequencedMap<String, String> filter = new LinkedHashMap<>();
            FilterText.NAMES.stream().sorted()
                    .forEach(name -> fields.get(name).ifPresent(value -> filter.put(name, value)));
            return new Wanted(form, arguments, filter);
        }

        String query(Map<String, String> further) {
            SequencedMap<String, String> all = new LinkedHashMap<>(filter);
            all.putAll(arguments);
            all.putAll(further);
            if (filter.isEmpty()) {
                all.put("all", "true");
            }
            return FormText.query(all);
        }

        String words() {
            return form.word() + (arguments.isEmpty() ? "" : " " + String.join(" ", arguments.values()));
        }
    }

    /// The order for each of the ticked messages.
    String selected(FormText form, Asking asking) {
        Wanted wanted = Wanted.of(form);
        int done = 0;
        Optional<String> why = Optional.empty();
        for (String id : form.all("id")) {
            try {
                asking.order("queue/" + id + "/" + wanted.form().word(), FormText.query(wanted.arguments()));
                done++;
            } catch (RefusedException refused) {
                why = Optional.of(refused.sentence());
            }
        }
        return done + " of " + form.all("id").size() + " messages " + wanted.form().did(first(wanted)) + "."
                + why.map(sentence -> " Refused: " + sentence).orElse("");
    }

    private static String first(Wanted wanted) {
        return wanted.arguments().values().stream().findFirst().orElse("");
    }

    /// Counts the messages and shows some of them.
    PageView look(FormText form, Asking asking, Visitor visitor) {
        Wanted wanted = Wanted.of(form);
        long count = count(wanted, asking);
        List<MessageView> sample = asking.get(QueuePage.class, "queue",
                FormText.query(with(wanted.filter(), "limit", Integer.toString(SAMPLE)))).messages();
        List<Map<String, String>> fields = wanted.filter().entrySet().stream()
                .map(each -> Map.of("name", each.getKey(), "value", each.getValue())).toList();
        Map<String, Object> values = new HashMap<>();
        values.put("count", count);
        values.put("order", wanted.form().word());
        values.put("words", wanted.words());
        values.put("does", wanted.form().verb().does());
        values.put("argument", first(wanted));
        values.put("fields", fields);
        values.put("sample", sample.stream().map(MessageRows::row).toList());
        values.put("key", visitor.formKey());
        values.put("token", token(wanted, count, visitor));
        values.put("over", count > CEILING ? List.of(count) : List.of());
        values.put("back", "/queue?" + FormText.query(wanted.filter()));
        return PageView.still("Confirm", LOOK.markup(values));
    }

    /// The second step.
    String run(FormText form, Asking asking, Visitor visitor) {
        Wanted wanted = Wanted.of(form);
        long shown = form.get("count").filter(text -> text.matches("[0-9]{1,12}")).map(Long::parseLong).orElse(-1L);
        byte[] token = form.get("token").orElse("").getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(token, token(wanted, shown, visitor).getBytes(StandardCharsets.UTF_8))) {
            return "Not done: the confirmation is not for this order; look again.";
        }
        if (shown > CEILING && form.get("over").isEmpty()) {
            return "Not done: more than " + CEILING + " messages need the tick that says so.";
        }
        long now = count(wanted, asking);
        if (now > shown) {
            return "Not done: " + now + " messages match now, and " + shown + " were shown; look again.";
        }
        long done = 0;
        Optional<String> after = Optional.empty();
        do {
            Object answer = asking.order("queue/" + wanted.form().word(),
                    wanted.query(after.map(next -> Map.of("after", next)).orElse(Map.of())));
            if (!(answer instanceof MessageCount part)) {
                return "Done: " + wanted.words() + ".";
            }
            done += part.count();
            after = part.next();
        } while (after.isPresent() && done <= shown);
        return done + " messages " + wanted.form().did(first(wanted)) + ".";
    }

    private static long count(Wanted wanted, Asking asking) {
        long count = 0;
        Optional<String> after = Optional.empty();
        do {
            SequencedMap<String, String> query = new LinkedHashMap<>(wanted.filter());
            after.ifPresent(next -> query.put("after", next));
            MessageCount part = asking.get(MessageCount.class, "queue/count", FormText.query(query));
            count += part.count();
            after = part.next();
        } while (after.isPresent());
        return count;
    }

    private static Map<String, String> with(Map<String, String> values, String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(values);
        more.put(name, value);
        return more;
    }

    private String token(Wanted wanted, long count, Visitor visitor) {
        try {
            Mac mac = Mac.getInstance(HASH);
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal((wanted.form().word() + "\n" + wanted.arguments() + "\n"
                    + wanted.filter() + "\n" + count + "\n" + visitor.formKey()).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }
}
