package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.slipstream.admin.operations.HostOperations.Hosts;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.cli.frame.RecordJson;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The same JSON as Jackson's databind, with which the server writes.
class RecordJsonTest {
    record Every(String text, int number, long large, boolean flag, double part, Optional<Long> maybe,
            Optional<Long> never, List<String> texts, List<Inner> inner, Map<String, Long> map, Inner one) {}

    record Inner(String name) {}

    private static final Every EVERY = new Every("a \"b\" \u0000 \ud83d\ude00 \u2028", -7, Long.MAX_VALUE, true, 0.25,
            Optional.of(3L), Optional.empty(), List.of("x", ""), List.of(new Inner("y"), new Inner("z")),
            Map.of("figure", 9L), new Inner("one"));

    @Test
    void databindAndThisClassReadEachOthersJson() {
        JsonMapper databind = JsonMapper.builder().build();
        assertThat(RecordJson.read(databind.writeValueAsString(EVERY), Every.class)).isEqualTo(EVERY);
        assertThat(RecordJson.write(EVERY)).as("the same text, safe on a terminal").doesNotContain("\u2028")
                .isEqualTo(databind.writeValueAsString(EVERY).replace("\u2028", "\\u2028"));
        assertThat(RecordJson.read(RecordJson.write(EVERY), Every.class)).isEqualTo(EVERY);
    }

    @Test
    void fieldsOfALaterReleaseAreSkippedAndMissingOnesAreEmpty() {
        Every read = RecordJson.read("{\"new\":{\"a\":[1,{}]},\"number\":3,\"later\":[[]],\"maybe\":null}",
                Every.class);
        assertThat(read).isEqualTo(new Every("", 3, 0, false, 0, Optional.empty(), Optional.empty(), List.of(),
                List.of(), Map.of(), new Inner("")));
    }

    @Test
    void everyViewOfTheApiCanBeRead() {
        assertThat(RecordJson.read("{}", Status.class).trouble()).isEmpty();
        assertThat(RecordJson.read("{\"messages\":[{}]}", QueuePage.class).messages()).singleElement()
                .satisfies(message -> assertThat(message.phase().figures().limit()).isEmpty());
        assertThat(RecordJson.read("{\"phase\":{\"code\":\"window\",\"figures\":{\"limit\":5,\"before\":null}}}",
                MessageView.class).phase().figures().limit()).contains(5L);
        assertThat(RecordJson.read("{\"hosts\":[{\"states\":[{}],\"connections\":[{}]}]}", Hosts.class).hosts())
                .hasSize(1);
    }

    @Test
    void textThatIsNoJsonIsReported() {
        for (String text : List.of("", "<html>", "{\"number\":\"x\"}", "{\"text\":", "[]",
                "{\"texts\":\"x\"}", "{\"inner\":[3]}", "{\"texts\":[")) {
            assertThatThrownBy(() -> RecordJson.read(text, Every.class)).as(text).isInstanceOf(JacksonException.class);
        }
    }
}
