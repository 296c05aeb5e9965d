package org.slipstream.inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class InjectionPageTest {
    private static final String PLAIN = """
            {"from":"Shop <shop@here.example>","to":["Bob <bob@far.example>"],"subject":"Order","text":"Thank you"%s}""";

    @TempDir
    Path folder;
    private InjectionWorld world;

    @BeforeEach
    void open() throws Exception {
        world = new InjectionWorld(folder);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    private static String plain(String more) {
        return PLAIN.formatted(more);
    }

    private FakeServer.Kept only() {
        assertThat(world.server.kept).hasSize(1);
        return world.server.kept.getFirst();
    }

    @Test
    void aMessageIsComposedAndItsQueueIdComesBack() throws Exception {
        HttpResponse<String> answer = world.json(plain(""));
        assertThat(answer.statusCode()).isEqualTo(202);
        FakeServer.Kept kept = only();
        assertThat(answer.body()).contains("\"queue\":\"" + kept.id() + "\"", "\"repeated\":false", "\"refusals\":[]");
        assertThat(kept.parts().sender()).isEqualTo(Address.of("shop@here.example"));
        assertThat(kept.parts().recipients()).containsExactly(Address.of("bob@far.example"));
        assertThat(kept.content()).contains("From: Shop <shop@here.example>\r\n", "To: Bob <bob@far.example>\r\n",
                "Subject: Order\r\n", "\r\n\r\nThank you");
    }

    @Test
    void blindRecipientsAreInTheEnvelopeAlone() throws Exception {
        assertThat(world.json(plain(",\"cc\":\"cy@far.example\",\"bcc\":[\"dan@far.example\"]")).statusCode())
                .isEqualTo(202);
        assertThat(only().parts().recipients()).extracting(Address::toString)
                .containsExactly("bob@far.example", "cy@far.example", "dan@far.example");
        assertThat(only().content()).contains("Cc: cy@far.example").doesNotContain("dan@");
    }

    @Test
    void aMessageWithAllPartsIsNestedAsReadersExpect() throws Exception {
        String octets = Base64.getEncoder().encodeToString(new byte[]{1, 2, 3});
        assertThat(world.json("""
                {"from":"shop@here.example","to":"bob@far.example","subject":"Grüße","text":"a\\nb","html":"<p>ä</p>",
                 "replyTo":"help@here.example","headers":{"X-Campaign":"Größe","List-Id":"<shop.here.example>"},
                 "data":{"order":17,"paid":true,"who":"ä"},"envelopeId":"e17",
                 "attachments":[{"name":"Rechnung ä.pdf","type":"application/pdf","content":"%s"},
                                {"name":"logo.png","type":"image/png","content":"%s","inlineId":"logo"}]}"""
                .formatted(octets, octets)).statusCode()).isEqualTo(202);
        String content = only().content();
        assertThat(content).containsSubsequence("Reply-To: help@here.example", "Subject: =?UTF-8?B?",
                "multipart/mixed", "X-Campaign: =?UTF-8?B?", "List-Id: <shop.here.example>", "multipart/related",
                "multipart/alternative", "text/plain", "a\r\nb", "text/html", "quoted-printable", "<p>=C3=A4</p>",
                "image/png", "Content-ID: <logo>", "application/pdf", "AQID");
        assertThat(content.lines()).allMatch(line -> line.length() <= 998);
        assertThat(only().parts().data()).isEqualTo("{\"order\":17,\"paid\":true,\"who\":\"ä\"}");
        assertThat(only().parts().envelopeId()).contains("e17");
        assertThat(only().parts().smtpUtf8()).isFalse();
    }

    @Test
    void anAddressBeyondAsciiMakesTheHeaderUtf8() throws Exception {
        assertThat(world.json(plain("").replace("bob@far", "bøb@far").replace("Order", "Größe")).statusCode())
                .isEqualTo(202);
        assertThat(only().parts().smtpUtf8()).isTrue();
        assertThat(only().content()).contains("bøb@far.example", "Subject: Größe");
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "'subject':'a\\r\\nBcc: x@y.example'", "'subject':'a\\u0000b'", "'headers':{'X-A\\r\\nB':'c'}",
            "'headers':{'X-A':'c\\nBcc: x@y.example'}", "'headers':{'X A':'c'}", "'headers':{'Bcc':'x@y.example'}",
            "'headers':{'Content-Type':'text/html'}", "'headers':{'RESENT-To':'x@y.example'}",
            "'headers':{'X-A':'b','x-a':'c'}", "'headers':{'Message-ID':'<a@b> <c@d>'}", "'text':'a\\u0000'",
            "'replyTo':'Bob\\r\\n <b@y.example>'", "'cc':'a@b@c'", "'cc':'<>'", "'cc':'a b@y.example'",
            "'cc':'x@y.example\\nBcc: z@y.example'", "'envelopeId':'é'", "'envelopeId':''", "'unknown':1",
            "'to':{}", "'data':{'a':[1]}", "'data':[]", "'substitutions':{}",
            "'attachments':[{'name':'a\\nb','content':''}]", "'attachments':[{'name':'a','content':'%%'}]",
            "'attachments':[{'name':'a','content':'','type':'multipart/mixed'}]",
            "'attachments':[{'name':'a','content':'','type':'message/rfc822'}]",
            "'attachments':[{'name':'a','content':'','type':'a/b\\r\\nX: y'}]",
            "'attachments':[{'name':'a','content':'','inlineId':'<x>'}]", "'attachments':[{'content':''}]"})
    void whatCouldEndAFieldOrHideAnotherIsRefusedWithItsPlace(String field) throws Exception {
        String name = field.substring(1, field.indexOf('\'', 1));
        String rest = ",\"" + name + "\"" + field.substring(name.length() + 2).replace('\'', '"');
        String body = name.equals("subject") || name.equals("text") || name.equals("to")
                ? "{\"from\":\"a@b.example\",\"to\":\"c@d.example\",\"html\":\"\"" + rest + "}"
                : plain(rest);
        if (name.equals("to")) {
            body = body.replace("\"to\":\"c@d.example\",", "");
        }
        HttpResponse<String> answer = world.json(body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
        assertThat(answer.body()).contains("\"pointer\":\"/" + name);
        assertThat(answer.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(world.server.kept).isEmpty();
    }

    @Test
    void eachLimitHoldsAtItsValueAndNotOneBeyond() throws Exception {
        assertStatus(202, "'subject':'" + "s".repeat(2_000) + "'");
        assertStatus(422, "'subject':'" + "s".repeat(2_001) + "'");
        assertStatus(202, "'headers':" + fields(50));
        assertStatus(422, "'headers':" + fields(51));
        assertStatus(202, "'cc':" + list(9, i -> "'r" + i + "@far.example'"));
        assertStatus(422, "'cc':" + list(10, i -> "'r" + i + "@far.example'"));
        assertStatus(202, "'attachments':" + list(100, i -> "{'name':'" + i + "','content':''}"));
        assertStatus(422, "'attachments':" + list(101, i -> "{'name':'" + i + "','content':''}"));
        assertStatus(202, "'data':" + data(16));
        assertStatus(422, "'data':" + data(17));
        assertStatus(202, "'data':{'k':'" + "v".repeat(1024 - 8) + "'}");
        assertStatus(422, "'data':{'k':'" + "v".repeat(1024 - 7) + "'}");
        assertStatus(202, "'cc':'" + "l".repeat(64) + "@far.example'");
        assertStatus(422, "'cc':'" + "l".repeat(65) + "@far.example'");
        assertStatus(202, "'envelopeId':'" + "e".repeat(100) + "'");
        assertStatus(422, "'envelopeId':'" + "e".repeat(101) + "'");
    }

    private void assertStatus(int status, String field) throws Exception {
        String more = field.replace('\'', '"');
        HttpResponse<String> answer = world.json(field.startsWith("'subject")
                ? "{\"from\":\"a@b.example\",\"to\":\"c@d.example\",\"text\":\"\"," + more + "}"
                : plain("," + more));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    }

    private static String list(int count, IntFunction<String> each) {
        return IntStream.range(0, count).mapToObj(each).collect(Collectors.joining(",", "[", "]"));
    }

    private static String fields(int count) {
        return IntStream.range(0, count).mapToObj(i -> "'X-" + i + "':'v'").collect(Collectors.joining(",", "{", "}"));
    }

    private static String data(int count) {
        return IntStream.range(0, count).mapToObj(i -> "'k" + i + "':" + i).collect(Collectors.joining(",", "{", "}"));
    }

    @Test
    void aBodyBeyondTheSizeOfAMessageIsRefusedAndItsMemoryComesBack() throws Exception {
        String large = Base64.getEncoder().encodeToString(new byte[(1 << 20) + 1]);
        String attachment = ",\"attachments\":[{\"name\":\"a\",\"content\":\"%s\"}]";
        for (int i = 0; i < 30; i++) {
            assertThat(world.json(plain(attachment.formatted(large))).statusCode()).isEqualTo(413);
        }
        assertThat(world.json(plain(",\"html\":\"" + "y".repeat(2 << 20) + "\"")).statusCode()).isEqualTo(413);
        assertThat(world.json(plain(attachment.formatted(large.substring(8)))).statusCode()).isEqualTo(202);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"400|[]", "400|{", "400|{} {}", "400|''", "422|{}",
            "400|{'from':'a@b.example','from':'a@b.example'}", "413|{'from':[[[[[1]]]]]}"})
    void aBodyThatIsNoMessageIsRefused(int status, String body) throws Exception {
        HttpResponse<String> answer = world.json(body.replace('\'', '"'));
        assertThat(answer.statusCode()).as(answer.body()).isIn(status, 422);
        assertThat(world.server.kept).isEmpty();
    }

    @Test
    void onlyATokenThatSendsIsHeard() throws Exception {
        var none = HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + world.address().getPort() + "/api/v1/messages"))
                .header("Content-Type", "application/json");
        HttpResponse<String> answer = world.send(none.POST(BodyPublishers.ofString(plain(""))).build());
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("www-authenticate")).contains("Bearer");
        answer = world.send(none.header("Authorization", "Bearer other").build());
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(world.server.kept).isEmpty();
    }

    @Test
    void otherMethodsPathsAndTypesAreToldApart() throws Exception {
        assertThat(world.send(world.request("/api/v1/messages").GET().build()).statusCode()).isEqualTo(405);
        assertThat(world.send(world.request("/api/v1/mail").GET().build()).statusCode()).isEqualTo(404);
        HttpResponse<String> type = world.post("text/plain", BodyPublishers.ofString("x"));
        assertThat(type.statusCode()).isEqualTo(415);
        assertThat(type.headers().firstValue("accept-post").orElseThrow()).contains("message/rfc822");
    }

    @ParameterizedTest
    @CsvSource({"553,5.7.1,403", "550,5.1.1,422", "552,5.3.4,413", "450,4.7.1,429", "452,4.3.1,503"})
    void aReplyOfSmtpBecomesAStatus(int code, String status, int expected) throws Exception {
        world.server.instead = _ -> Optional.of(FakeServer.refusal(code, status));
        HttpResponse<String> answer = world.json(plain(""));
        assertThat(answer.statusCode()).isEqualTo(expected);
        assertThat(answer.headers().firstValue("retry-after").isPresent())
                .isEqualTo(expected == 429 || expected == 503);
    }

    @Test
    void aRawMessageGoesAsItIsWithoutBcc() throws Exception {
        String raw = "From: Shop <shop@here.example>\r\nBcc: dan@far.example,\r\n cy@far.example\r\nSubject: x\r\n\r\nBcc: y\r\n";
        assertThat(world.post("message/rfc822", BodyPublishers.ofString(raw)).statusCode()).isEqualTo(202);
        assertThat(only().parts().recipients()).extracting(Address::toString).containsExactly("dan@far.example",
                "cy@far.example");
        assertThat(only().content())
                .isEqualTo("From: Shop <shop@here.example>\r\nSubject: x\r\n\r\nBcc: y\r\n");
    }

    @Test
    void theQueryIsTheEnvelopeOfARawMessage() throws Exception {
        var request = world.request("/api/v1/messages?from=a%40here.example&to=b%40far.example&to=c@far.example"
                + "&data=%7B%22n%22%3A1%7D&envelopeId=e").header("Content-Type", "message/rfc822")
                .POST(BodyPublishers.ofString("To: list@far.example\n\nhello\n")).build();
        assertThat(world.send(request).statusCode()).isEqualTo(202);
        assertThat(only().parts().sender()).isEqualTo(Address.of("a@here.example"));
        assertThat(only().parts().recipients()).hasSize(2);
        assertThat(only().parts().data()).isEqualTo("{\"n\":1}");
        assertThat(world.send(world.request("/api/v1/messages?form=x").header("Content-Type", "message/rfc822")
                .POST(BodyPublishers.ofString("x")).build()).statusCode()).isEqualTo(422);
    }

    // ---- idempotency

    @Test
    void aRepetitionWithTheSameKeyStoresNothing() throws Exception {
        HttpResponse<String> first = world.json(plain(""), "Idempotency-Key", "k1");
        HttpResponse<String> second = world.json(plain(""), "Idempotency-Key", "\"k1\"");
        assertThat(second.statusCode()).isEqualTo(202);
        assertThat(second.body()).isEqualTo("{\"queue\":\"" + only().id() + "\",\"repeated\":true}\n");
        assertThat(first.body()).contains("\"repeated\":false");
    }

    @Test
    void theSameKeyWithAnotherBodyIsRefused() throws Exception {
        world.json(plain(""), "Idempotency-Key", "k1");
        assertThat(world.json(plain(",\"cc\":[]"), "Idempotency-Key", "k1").statusCode()).isEqualTo(422);
        only();
    }

    @Test
    void aRefusedRequestMayBeRepeatedWithItsKey() throws Exception {
        world.server.instead = _ -> Optional.of(FakeServer.refusal(450, "4.7.1"));
        assertThat(world.json(plain(""), "Idempotency-Key", "k1").statusCode()).isEqualTo(429);
        world.server.instead = _ -> Optional.empty();
        assertThat(world.json(plain(""), "Idempotency-Key", "k1").body()).contains("\"repeated\":false");
        only();
    }

    @Test
    void twoRequestsAtOnceWithOneKeyAreAConflict() throws Exception {
        try (RequestKeys.Claim claim = world.keys.claim("ann", "k1")) {
            assertThat(claim.decided()).isZero();
            HttpResponse<String> answer = world.json(plain(""), "Idempotency-Key", "k1");
            assertThat(answer.statusCode()).isEqualTo(409);
            assertThat(answer.headers().firstValue("retry-after")).isPresent();
        }
        assertThat(world.json(plain(""), "Idempotency-Key", "k1").statusCode()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "\"\""})
    void aKeyThatIsNoneIsRefused(String key) throws Exception {
        assertThat(world.json(plain(""), "Idempotency-Key", key).statusCode()).isEqualTo(400);
    }

    @Test
    void theLongestKeyIsAccepted() throws Exception {
        assertThat(world.json(plain(""), "Idempotency-Key", "k".repeat(255)).statusCode()).isEqualTo(202);
        assertThat(world.json(plain(""), "Idempotency-Key", "k".repeat(256)).statusCode()).isEqualTo(400);
    }
}
