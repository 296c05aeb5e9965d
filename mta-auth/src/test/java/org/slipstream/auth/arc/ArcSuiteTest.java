package org.slipstream.auth.arc;

import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.slipstream.auth.TextZone;
import org.slipstream.auth.dkim.ArcMail;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/// The published suite of ValiMail for validators (release of draft 18), as it is; its licence lies
/// beside it.
class ArcSuiteTest {
    private static final String SUITE = "/arc/arc-draft-validation-tests.yml";
    /// Cases that want another verdict than ours, with the reason of ours.
    private static final Map<String, String> OTHERS = Map.of(
            // The suite has signed it in the relaxed form. A message signature has the semantics of DKIM's
            // (RFC 8617 section 4.1.2), where the form is simple by default.
            "ams_fields_c_na",
            "the message signature of set 1: the header was changed, or the key is another one",
            // RFC 6376 section 5.4 wants From signed. A chain without it goes with any author.
            "ams_fields_h_empty", "the message signature of set 1: the field From is not signed",
            // Names of tags have no case here; the seal is good.
            "as_format_tags_key_case", "");

    @TestFactory
    Stream<DynamicContainer> scenarios() {
        return read().stream().map(scenario -> DynamicContainer.dynamicContainer((String) scenario.get("description"),
                map(scenario.get("tests")).entrySet().stream().map(test -> DynamicTest.dynamicTest(test.getKey(),
                        () -> verify(test.getKey(), map(test.getValue()), zone(scenario))))));
    }

    @Test
    void allCasesAreHere() {
        assertThat(read().stream().mapToInt(scenario -> map(scenario.get("tests")).size()).sum()).isEqualTo(171);
    }

    private static void verify(String name, Map<String, Object> test, TextZone zone) {
        String message = ((String) test.get("message")).replace("\n", "\r\n");
        ArcResult result = ArcMail.verify(message.getBytes(StandardCharsets.UTF_8), zone);
        // An empty text stands for a chain that has ended.
        String wanted = ((String) test.get("cv")).strip().toLowerCase(Locale.ROOT);
        if (OTHERS.containsKey(name)) {
            assertThat(result.reason()).isEqualTo(OTHERS.get(name));
            assertThat(result.verdict()).isEqualTo(wanted.equals("pass") ? ArcVerdict.FAIL : ArcVerdict.PASS);
        } else {
            assertThat(result.verdict().name().toLowerCase(Locale.ROOT)).as(result.reason())
                    .isEqualTo(wanted.isEmpty() ? "fail" : wanted);
        }
    }

    private static TextZone zone(Map<String, Object> scenario) {
        TextZone zone = TextZone.of("");
        map(scenario.get("txt-records")).forEach((name, text) -> zone.add(name, "TXT", (String) text));
        return zone;
    }

    private static List<Map<String, Object>> read() {
        LoaderOptions options = new LoaderOptions();
        // One case stands twice, with the same text.
        options.setAllowDuplicateKeys(true);
        try (InputStream in = ArcSuiteTest.class.getResourceAsStream(SUITE)) {
            return StreamSupport.stream(new Yaml(new SafeConstructor(options)).loadAll(Objects.requireNonNull(in))
                    .spliterator(), false).map(ArcSuiteTest::map).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object yaml) {
        return (Map<String, Object>) yaml;
    }
}
