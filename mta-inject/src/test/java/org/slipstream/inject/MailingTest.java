package org.slipstream.inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class MailingTest {
    private static final String TEMPLATE = """
            {"from":"Shop <shop@here.example>","subject":"Hello {{name}}","text":"Dear {{ name }}, {{offer}}",\
            "html":"<p>{{name}}</p>","headers":{"X-Who":"{{name}}"},"substitutions":{"offer":"10 %"},"data":{"m":1}}
            """;

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

    private static String line(int number) {
        return "{\"to\":\"r" + number + "@far.example\",\"substitutions\":{\"name\":\"n" + number + "\"}}\n";
    }

    private static String lines(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(MailingTest::line).collect(Collectors.joining());
    }

    private Map<String, Integer> counts() {
        Map<String, Integer> counts = new HashMap<>();
        world.server.kept.forEach(each -> counts.merge(each.parts().recipients().getFirst().toString(), 1,
                Integer::sum));
        return counts;
    }

    @Test
    void eachRecipientGetsAMessageOfItsOwn() throws Exception {
        HttpResponse<String> answer = world.mailing(TEMPLATE
                + "{\"to\":\"Bob <bob@far.example>\",\"substitutions\":{\"name\":\"<Bøb & Co>\"},\"data\":{\"c\":7}}\n"
                + "\n{\"to\":\"cy@far.example\",\"substitutions\":{\"name\":\"{{offer}}\",\"offer\":5}}");
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).startsWith("{\"accepted\":2,\"refused\":0,\"repeated\":0,");
        FakeServer.Kept bob = kept("bob@far.example");
        assertThat(bob.content()).contains("To: Bob <bob@far.example>", "<p>&lt;B=C3=B8b &amp; Co&gt;</p>",
                "Dear <B=C3=B8b & Co>, 10 %", "X-Who: =?UTF-8?B?");
        assertThat(bob.parts().data()).isEqualTo("{\"c\":7}");
        assertThat(kept("cy@far.example").content()).contains("Dear {{offer}}, 5", "To: cy@far.example");
        assertThat(kept("cy@far.example").parts().data()).isEqualTo("{\"m\":1}");
    }

    private FakeServer.Kept kept(String recipient) {
        return world.server.kept.stream()
                .filter(each -> each.parts().recipients().contains(Address.of(recipient))).findFirst().orElseThrow();
    }

    @Test
    void aRecipientThatIsRefusedStopsNoOther() throws Exception {
        world.server.instead = parts -> parts.recipients().getFirst().localPart().equals("r3")
                ? Optional.of(FakeServer.refusal(550, "5.1.1"))
                : Optional.empty();
        HttpResponse<String> answer = world.mailing(TEMPLATE + line(1) + "{\"to\":\"nobody\"}\n" + line(3)
                + "{\"to\":\"r4@far.example\"}\n"
                + "{\"to\":\"r5@far.example\",\"substitutions\":{\"name\":\"a\\r\\nBcc: x@y.example\"}}\n" + line(6));
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).startsWith("{\"accepted\":2,\"refused\":4,").contains("\"number\":2",
                "\"number\":3,\"recipient\":\"r3@far.example\",\"status\":422", "{{name}}", "\"number\":5");
        assertThat(counts().keySet()).containsExactlyInAnyOrder("r1@far.example", "r6@far.example");
    }

    @Test
    void troubleOfTheServerStopsTheMailingAndARepetitionGoesOn() throws Exception {
        AtomicInteger room = new AtomicInteger(700);
        world.server.instead = _ -> room.getAndDecrement() > 0
                ? Optional.empty()
                : Optional.of(FakeServer.refusal(452, "4.3.1"));
        HttpResponse<String> answer = world.mailing(TEMPLATE + lines(1, 1_200), "Idempotency-Key", "m");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("retry-after")).isPresent();
        assertThat(answer.body()).contains("\"accepted\":700,", "\"line\":");
        world.server.instead = _ -> Optional.empty();
        answer = world.mailing(TEMPLATE + lines(1, 1_200), "Idempotency-Key", "m");
        assertThat(answer.body()).startsWith("{\"accepted\":500,\"refused\":0,\"repeated\":700,");
        assertThat(counts()).hasSize(1_200).values().containsOnly(1);
        assertThat(world.mailing(TEMPLATE + lines(1, 1_200), "Idempotency-Key", "m").body())
                .startsWith("{\"accepted\":0,\"refused\":0,\"repeated\":1200,");
    }

    @Test
    void anotherBodyWithTheSameKeyIsFoundBeforeAnythingIsStored() throws Exception {
        world.mailing(TEMPLATE + lines(1, 600), "Idempotency-Key", "m");
        for (String other : new String[]{TEMPLATE + lines(1, 599), TEMPLATE.replace("10 %", "20 %") + lines(1, 600),
                TEMPLATE + lines(1, 599) + line(7)}) {
            HttpResponse<String> answer = world.mailing(other, "Idempotency-Key", "m");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
        }
        assertThat(world.server.stored).hasValue(600);
        assertThat(world.mailing(TEMPLATE + lines(1, 601), "Idempotency-Key", "m").body())
                .startsWith("{\"accepted\":1,");
    }

    @Test
    void aLineThatIsNoJsonStopsTheMailingAndItsNumberIsTold() throws Exception {
        HttpResponse<String> answer = world.mailing(TEMPLATE + line(1) + line(2) + "{\"to\":\n" + line(4));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("\"line\":4,\"accepted\":2,");
        assertThat(world.server.stored).hasValue(2);
    }

    @Test
    void aMailingWithoutATemplateIsNone() throws Exception {
        assertThat(world.mailing("").statusCode()).isEqualTo(400);
        assertThat(world.mailing("\n\n").statusCode()).isEqualTo(400);
        assertThat(world.mailing(line(1)).statusCode()).isEqualTo(422);
        assertThat(world.mailing(TEMPLATE.replace("\"subject\"", "\"to\":\"x@y.example\",\"subject\"") + line(1))
                .statusCode()).isEqualTo(422);
    }

    @Test
    void theLongestLineIsTakenAndOneOctetMoreIsNot() throws Exception {
        String begin = "{\"to\":\"r1@far.example\",\"substitutions\":{\"name\":\"n\",\"x\":\"" + "x".repeat(60_000)
                + "\",\"z\":\"" + "z".repeat(60_000) + "\",\"y\":\"";
        String end = "\"}}";
        String longest = begin + "y".repeat(Mailing.MOST_LINE - begin.length() - end.length()) + end;
        assertThat(world.mailing(TEMPLATE + longest + "\n").statusCode()).isEqualTo(202);
        HttpResponse<String> answer = world.mailing(TEMPLATE + longest + " \n");
        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(world.server.stored).hasValue(1);
    }

    /// Substituted values may make a message larger than any line.
    @Test
    void aMessageThatItsValuesMakeTooLargeIsRefused() throws Exception {
        String template = "{\"from\":\"a@here.example\",\"text\":\"" + "{{x}}".repeat(40) + "\"}\n";
        HttpResponse<String> answer = world.mailing(template + "{\"to\":\"r1@far.example\",\"substitutions\":{\"x\":\""
                + "x".repeat(60_000) + "\"}}\n{\"to\":\"r2@far.example\",\"substitutions\":{\"x\":\"x\"}}\n");
        assertThat(answer.body()).startsWith("{\"accepted\":1,\"refused\":1,").contains("\"status\":413");
    }

    @Test
    void aBrokenConnectionKeepsWhatWasAcceptedAndTheKeyKnowsIt() throws Exception {
        String body = TEMPLATE + lines(1, 900);
        byte[] octets = (body + "{\"to\":\"r901").getBytes(StandardCharsets.UTF_8);
        try (Socket socket = new Socket(world.address().getAddress(), world.address().getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(("POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + FakeServer.TOKEN
                    + "\r\nContent-Type: application/x-ndjson\r\nIdempotency-Key: broken\r\nContent-Length: "
                    + (octets.length + 100) + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            out.write(octets);
            out.flush();
            await().atMost(Duration.ofSeconds(90)).until(() -> world.server.stored.get() == 900);
        }
        await().atMost(Duration.ofSeconds(90))
                .until(() -> world.mailing(body, "Idempotency-Key", "broken").statusCode() == 202);
        assertThat(counts()).hasSize(900).values().containsOnly(1);
    }

    /// The lines are made as they are sent, and the server only counts: whatever it keeps for each recipient would
    /// stand in the heap at the end. 1,000,000 recipients take minutes, so the usual run has a fiftieth.
    @Test
    void aGreatMailingNeedsTheMemoryOfItsPage() throws Exception {
        int count = Boolean.getBoolean("slipstream.long") ? Mailing.MOST_RECIPIENTS : Mailing.MOST_RECIPIENTS / 50;
        world.server.keeps = false;
        HttpResponse<String> answer = world.post("application/x-ndjson",
                BodyPublishers.ofInputStream(() -> new LineStream(count)), "Idempotency-Key", "great");
        assertThat(answer.body()).startsWith("{\"accepted\":" + count + ",\"refused\":0,\"repeated\":0,");
        assertThat(world.server.stored).hasValue(count);
        assertThat(world.keys.openItems()).isZero();
        assertThat(folder.resolve(RequestKeys.FILE).toFile().length()).isLessThan(12L << 20);
    }

    private static final class LineStream extends InputStream {
        private final int count;
        private byte[] part = TEMPLATE.getBytes(StandardCharsets.UTF_8);
        private int at;
        private int number;

        LineStream(int count) {
            this.count = count;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0];
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
            if (at == part.length) {
                if (number == count) {
                    return -1;
                }
                number++;
                part = line(number).getBytes(StandardCharsets.UTF_8);
                at = 0;
            }
            int copied = Math.min(length, part.length - at);
            System.arraycopy(part, at, to, from, copied);
            at += copied;
            return copied;
        }
    }
}
