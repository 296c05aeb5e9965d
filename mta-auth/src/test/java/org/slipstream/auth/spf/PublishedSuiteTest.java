package org.slipstream.auth.spf;

import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/// The published suite for RFC 7208, release 2014.04, as it is (its licence lies beside it).
class PublishedSuiteTest {
    private static final String SUITE = "/spf/rfc7208-tests.yml";

    @TestFactory
    Stream<DynamicContainer> scenarios() {
        return read().stream().map(scenario -> DynamicContainer.dynamicContainer((String) scenario.get("description"),
                map(scenario.get("tests")).entrySet().stream().map(test -> DynamicTest.dynamicTest(test.getKey(),
                        () -> verify(map(test.getValue()), new SuiteZone(map(scenario.get("zonedata"))))))));
    }

    @Test
    void allCasesAreHere() {
        assertThat(read().stream().mapToInt(scenario -> map(scenario.get("tests")).size()).sum()).isEqualTo(203);
        assertThat(read().stream().flatMap(scenario -> map(scenario.get("tests")).values().stream())
                .filter(test -> explanation(map(test)) != null)).as("explanations").hasSize(22);
    }

    private static void verify(Map<String, Object> test, DnsLookup zone) {
        var verdict = SpfEvaluation.check(zone, question(test));
        assertThat(word(verdict.result())).as(verdict.reason()).isIn(list(test.get("result")));
        var explanation = explanation(test);
        if (explanation != null) {
            assertThat(verdict.explanation().orElse("DEFAULT")).isEqualTo(explanation);
        }
    }

    private static Object explanation(Map<String, Object> test) {
        return test.get("explanation");
    }

    private static SpfQuestion question(Map<String, Object> test) {
        var sender = (String) test.get("mailfrom");
        var helo = (String) test.get("helo");
        var client = InetAddress.ofLiteral((String) test.get("host"));
        int at = sender.lastIndexOf('@');
        return sender.isEmpty()
                ? SpfQuestion.ofHelo(client, helo, "receiver.example", Instant.EPOCH)
                : new SpfQuestion(client, SpfIdentity.MAILFROM, at > 0 ? sender.substring(0, at) : "postmaster",
                        sender.substring(at + 1), helo, "receiver.example", Instant.EPOCH);
    }

    private static String word(SpfResult result) {
        return result.name().toLowerCase(Locale.ROOT);
    }

    private static List<Map<String, Object>> read() {
        var options = new LoaderOptions();
        options.setAllowDuplicateKeys(true);
        try (InputStream in = PublishedSuiteTest.class.getResourceAsStream(SUITE)) {
            return StreamSupport.stream(new Yaml(new SafeConstructor(options)).loadAll(Objects.requireNonNull(in))
                    .spliterator(), false).map(PublishedSuiteTest::map).toList();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object yaml) {
        return (Map<String, Object>) yaml;
    }

    private static List<?> list(Object yaml) {
        return yaml instanceof List<?> list ? list : List.of(yaml);
    }

    /// The zone of a scenario, with the rules of the suite's own driver: an SPF record stands in for
    /// TXT at names without TXT, and a name or a type may be one that times out.
    private static final class SuiteZone implements DnsLookup {
        private final Map<String, Object> names = new java.util.HashMap<>();

        SuiteZone(Map<String, Object> zone) {
            zone.forEach((name, records) -> names.put(name.toLowerCase(Locale.ROOT), records));
        }

        @Override
        public TextAnswer ask(String name, RecordType type) {
            var records = names.get(name.toLowerCase(Locale.ROOT));
            if (records == null) {
                return name.startsWith("error.")
                        ? new TextAnswer.Trouble("DNS timeout")
                        : new TextAnswer.None(false);
            }
            boolean hasText = list(records).stream()
                    .anyMatch(each -> each instanceof Map<?, ?> record && record.containsKey("TXT"));
            List<String> found = new ArrayList<>();
            for (Object each : list(records)) {
                if (!(each instanceof Map<?, ?> record)) {
                    if (found.isEmpty()) {
                        return new TextAnswer.Trouble("DNS timeout");
                    }
                    continue;
                }
                for (var entry : record.entrySet()) {
                    var key = (String) entry.getKey();
                    if (key.equals("CNAME") && type != RecordType.CNAME) {
                        return ask((String) entry.getValue(), type);
                    }
                    boolean isAsked = key.equals(type.name())
                            || key.equals("SPF") && type == RecordType.TXT && !hasText;
                    if (isAsked && "TIMEOUT".equals(entry.getValue())) {
                        return new TextAnswer.Trouble("DNS timeout");
                    }
                    if (isAsked && !"NONE".equals(entry.getValue())) {
                        found.add(text(type, entry.getValue()));
                    }
                }
            }
            return found.isEmpty() ? new TextAnswer.None(true) : new TextAnswer.Found(found);
        }

        private static String text(RecordType type, Object value) {
            return switch (type) {
                case MX -> list(value).get(0) + " " + (list(value).get(1).equals("") ? "." : list(value).get(1));
                case TXT -> new String(
                        String.join("", list(value).stream().map(String::valueOf).toList())
                                .getBytes(StandardCharsets.UTF_8),
                        StandardCharsets.ISO_8859_1);
                default -> String.valueOf(value);
            };
        }
    }
}
