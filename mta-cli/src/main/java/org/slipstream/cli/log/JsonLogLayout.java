package org.slipstream.cli.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.LogShard;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Log lines as JSON objects with the keys of the text form (docs/logging.md). A message of a library,
/// which has no keys, is the field `message`.
final class JsonLogLayout extends LayoutBase<ILoggingEvent> {
    private static final Pattern PAIR = Pattern.compile("([a-zA-Z][a-zA-Z0-9-]*)=(\"([^\"]*)\"|\\S*)");

    /// One line.
    record JsonLogLine(Map<String, String> fields) {}

    @Override
    public String doLayout(ILoggingEvent event) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("time", event.getInstant().toString());
        fields.put("level", event.getLevel().toString());
        String message = event.getFormattedMessage();
        String shard = LogShard.suffix(event.getThreadName(), message);
        if (message.startsWith("event=")) {
            addPairs(message + shard, fields);
        } else {
            fields.put("message", message);
            addPairs(shard, fields);
        }
        fields.put("thread", event.getThreadName());
        fields.put("logger", event.getLoggerName());
        if (event.getThrowableProxy() != null) {
            fields.put("exception", ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        String json = RecordJson.write(new JsonLogLine(fields));
        return json.substring(json.indexOf(':') + 1, json.length() - 1) + "\n";
    }

    private static void addPairs(String text, Map<String, String> fields) {
        Matcher pair = PAIR.matcher(text);
        while (pair.find()) {
            String quoted = pair.group(3);
            fields.putIfAbsent(pair.group(1), quoted == null ? pair.group(2) : quoted);
        }
    }
}
