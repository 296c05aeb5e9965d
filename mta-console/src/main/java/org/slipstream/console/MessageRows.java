package org.slipstream.console;

import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.RecipientView;

import java.util.List;
import java.util.Map;

/// A message as a row of a table.
final class MessageRows {
    private static final int MOST_RECIPIENTS = 3;

    private MessageRows() {}

    static Map<String, Object> row(MessageView message) {
        List<RecipientView> open = message.recipients().stream().filter(each -> each.state().equals("open")).toList();
        List<Map<String, String>> first = open.stream().limit(MOST_RECIPIENTS).map(MessageRows::recipient).toList();
        return Map.ofEntries(Map.entry("id", message.id()),
                Map.entry("sender", OneMessagePage.sender(message.sender())),
                Map.entry("sender-path", FormText.inPath(OneMessagePage.sender(message.sender()))),
                Map.entry("size", size(message.sizeBytes())), Map.entry("state", message.state()),
                Map.entry("created", Moments.text(message.created())), Map.entry("attempts", message.attempts()),
                Map.entry("why", message.why()), Map.entry("recipients", first),
                Map.entry("more", open.size() > first.size() ? List.of(open.size() - first.size()) : List.of()));
    }

    private static Map<String, String> recipient(RecipientView recipient) {
        String address = recipient.address();
        String domain = address.substring(address.lastIndexOf('@') + 1);
        return Map.of("address", address, "domain-path", FormText.inPath(domain));
    }

    static String size(long octets) {
        return octets < 10_240
                ? octets + " B"
                : octets < 10_485_760
                        ? octets / 1_024 + " KiB"
                        : octets / 1_048_576 + " MiB";
    }
}
