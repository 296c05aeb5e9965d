package org.slipstream.inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/// The description for OpenAPI names the fields that the reader knows, and no other.
class DescriptionTest {
    @TempDir
    Path folder;

    @Test
    void theDescriptionHasEveryFieldOfAMessageAndOfARecipient() throws Exception {
        try (InjectionWorld world = new InjectionWorld(folder)) {
            HttpResponse<String> answer = world.send(world.request("/api/v1/openapi.json").GET().build());
            assertThat(answer.statusCode()).isEqualTo(200);
            for (String field : names(answer.body(), "Message")) {
                String body = "{\"from\":\"a@b.example\",\"text\":\"\",\"to\":[],\"" + field + "\":7}";
                assertThat(world.json(body).body()).doesNotContain("there is no such field");
            }
            assertThat(names(answer.body(), "Message")).contains("from", "to", "attachments", "data");
            assertThat(names(answer.body(), "Attachment")).containsExactlyInAnyOrder("name", "type", "content",
                    "inlineId");
            assertThat(names(answer.body(), "Recipient")).containsExactlyInAnyOrder("to", "substitutions", "data",
                    "envelopeId");
            Set<String> template = names(answer.body(), "Template");
            assertThat(template).contains("substitutions").doesNotContain("to", "cc", "bcc");
            template.remove("substitutions");
            Set<String> message = names(answer.body(), "Message");
            message.removeAll(Set.of("to", "cc", "bcc"));
            assertThat(template).isEqualTo(message);
        }
    }

    /// The names of the properties of a schema.
    private static Set<String> names(String json, String schema) {
        Set<String> names = new TreeSet<>();
        Pattern property = Pattern.compile("/components/schemas/" + schema + "/properties/([^/]+)");
        try (JsonParser in = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
            for (JsonToken token = in.nextToken(); token != null; token = in.nextToken()) {
                Matcher place = property.matcher(in.streamReadContext().pathAsPointer().toString());
                if (token == JsonToken.PROPERTY_NAME && place.matches()) {
                    names.add(place.group(1));
                }
            }
        }
        return names;
    }
}
