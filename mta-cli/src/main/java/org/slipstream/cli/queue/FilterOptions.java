package org.slipstream.cli.queue;

import org.slipstream.admin.FilterText;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The options that select messages, the same for all commands of `queue`. A message must match all
/// given options.
final class FilterOptions {
    @Option(names = "--sender", paramLabel = "ADDRESS",
            description = "from this sender; * matches any text: *@example.org; <> means the null sender")
    private Optional<String> sender = Optional.empty();

    @Option(names = "--recipient", paramLabel = "ADDRESS",
            description = "still waiting for this recipient, perhaps among others; * matches any text")
    private Optional<String> recipient = Optional.empty();

    @Option(names = "--domain", paramLabel = "DOMAIN",
            description = "still waiting for a recipient in this domain; * matches any text")
    private Optional<String> domain = Optional.empty();

    @Option(names = "--provider", paramLabel = "NAME",
            description = "still waiting for a recipient of this provider; mta provider list shows them")
    private Optional<String> provider = Optional.empty();

    @Option(names = "--transport", paramLabel = "NAME",
            description = "still waiting for a recipient that this transport delivers to: local, smtp, or a name of"
                    + " the settings")
    private Optional<String> transport = Optional.empty();

    @Option(names = "--state", paramLabel = "STATE", description = "held, active, or deferred")
    private Optional<String> state = Optional.empty();

    @Option(names = "--older-than", paramLabel = "TIME",
            description = "in the queue for at least this time: 90s, 5m, 2h, 3d, 1d12h")
    private Optional<String> olderThan = Optional.empty();

    @Option(names = "--younger-than", paramLabel = "TIME", description = "in the queue for less than this time")
    private Optional<String> youngerThan = Optional.empty();

    @Option(names = "--attempts", paramLabel = "N", description = "tried at least N times")
    private Optional<String> attempts = Optional.empty();

    @Option(names = "--shard", paramLabel = "N", description = "only in this shard; mta shard list shows them")
    private Optional<Integer> shard = Optional.empty();

    /// No option but the shard is given.
    boolean isEmpty() {
        return texts().isEmpty();
    }

    /// The filter as a query for the server: `&sender=...`, or nothing. An invalid value ends the
    /// command before the server is asked.
    String query(CommandSpec spec) {
        Map<String, String> texts = texts();
        return switch (FilterText.read(texts)) {
            case FilterText.Read.Wrong(String name, String sentence) ->
                throw new ParameterException(spec.commandLine(), "--" + name + ": " + sentence);
            case FilterText.Read.Filter _ -> texts.entrySet().stream().map(
                    text -> "&" + text.getKey() + "=" + URLEncoder.encode(text.getValue(), StandardCharsets.UTF_8))
                    .collect(Collectors.joining()) + shard.map(number -> "&shard=" + number).orElse("");
        };
    }

    private Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        sender.ifPresent(text -> texts.put("sender", text));
        recipient.ifPresent(text -> texts.put("recipient", text));
        domain.ifPresent(text -> texts.put("domain", text));
        provider.ifPresent(text -> texts.put("provider", text));
        transport.ifPresent(text -> texts.put("transport", text));
        state.ifPresent(text -> texts.put("state", text));
        olderThan.ifPresent(text -> texts.put("older-than", text));
        youngerThan.ifPresent(text -> texts.put("younger-than", text));
        attempts.ifPresent(text -> texts.put("attempts", text));
        return texts;
    }
}
