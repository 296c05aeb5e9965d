package org.slipstream.server.feedback;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.SuppressionVerb.Cause;
import org.slipstream.events.feedback.SealedText;
import org.slipstream.events.feedback.UnsubscribeLink;
import org.slipstream.events.stream.UnloggedEvent;
import org.slipstream.events.suppression.Suppression;
import org.slipstream.http.HttpListener;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/// A receiver's program and a recipient follow the link of a message.
class UnsubscribePageTest {
    private static final SealedText SEAL = new SealedText(List.of("a secret"));
    private static final String FORM = "application/x-www-form-urlencoded";

    private final List<Suppression> suppressed = new ArrayList<>();
    private final List<UnloggedEvent> events = new ArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();
    private boolean diskFull;
    private HttpListener listener;

    @BeforeEach
    void open() throws IOException {
        listener = HttpListener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Optional::empty);
        listener.serve(Map.of("/leave", new UnsubscribePage(() -> Optional.of(SEAL), suppressed::add, event -> {
            if (diskFull) {
                throw new IOException("No space left on device");
            }
            events.add(event);
        }, () -> 1_000)));
    }

    @AfterEach
    void close() {
        listener.close();
        client.close();
    }

    private URI link(String recipient) {
        URI page = URI.create("http://127.0.0.1:" + listener.address().getPort() + "/leave");
        String fields = new UnsubscribeLink(new QueueId(1L << 50), "shop.example", Address.of(recipient)).fields(SEAL,
                page);
        Matcher link = Pattern.compile("List-Unsubscribe: <([^>]+)>\r\n.*\r\n").matcher(fields);
        assertThat(link.matches()).isTrue();
        return URI.create(link.group(1));
    }

    private HttpResponse<String> get(URI at) throws Exception {
        return client.send(HttpRequest.newBuilder(at).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(URI at, String type, String body) throws Exception {
        return client.send(HttpRequest.newBuilder(at).header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aPostEndsTheMailAndAGetOnlyAsks() throws Exception {
        HttpResponse<String> page = get(link("Bob@far.example"));
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("<form method=\"post\">", "name=\"List-Unsubscribe\" value=\"One-Click\"",
                "shop.example", "Bob@far.example");
        assertThat(page.headers().firstValue("content-security-policy")).isPresent();
        assertThat(suppressed).isEmpty();
        for (int i = 0; i < 2; i++) {
            assertThat(post(link("Bob@far.example"), FORM, "List-Unsubscribe=One-Click").statusCode()).isEqualTo(200);
        }
        assertThat(suppressed).hasSize(2).containsOnly(new Suppression("bob@far.example", "shop.example",
                Cause.UNSUBSCRIBE, "message " + new QueueId(1L << 50), 1_000, Long.MAX_VALUE));
        assertThat(events).extracting(UnloggedEvent::fact).containsOnly(new QueueId(1L << 50)
                + "-unsubscribed-bob@far.example");
    }

    @Test
    void bothFormsOfTheBodyCountAndNoOther() throws Exception {
        URI at = link("bob@far.example");
        assertThat(post(at, "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data;"
                + " name=\"List-Unsubscribe\"\r\nContent-Type: text/plain\r\n\r\nOne-Click\r\n--b--\r\n").statusCode())
                .isEqualTo(200);
        assertThat(suppressed).hasSize(1);
        for (String other : List.of("", "List-Unsubscribe=", "List-Unsubscribe=No", "x=One-Click")) {
            assertThat(post(at, FORM, other).statusCode()).as(other).isEqualTo(400);
        }
        assertThat(post(at, FORM, "x".repeat(4097)).statusCode()).isEqualTo(413);
        assertThat(suppressed).hasSize(1);
        String atLimit = "List-Unsubscribe=One-Click&" + "x".repeat(4096 - 27);
        assertThat(post(at, FORM, atLimit).statusCode()).isEqualTo(200);
    }

    @Test
    void aLinkOfSomebodyElseIsNoLink() throws Exception {
        String own = link("bob@far.example").toString();
        for (String other : List.of(own.substring(0, own.length() - 9), own + "A".repeat(3_000),
                own.replaceAll("leave/.*", "leave/x"), own.replaceAll("leave/.*", "leave"))) {
            assertThat(post(URI.create(other), FORM, "List-Unsubscribe=One-Click").statusCode()).as(other)
                    .isEqualTo(404);
        }
        assertThat(suppressed).isEmpty();
    }

    @Test
    void anAddressIsNoMarkup() throws Exception {
        assertThat(get(link("\"<script>alert(1)</script>\"@far.example")).body()).doesNotContain("<script")
                .contains("&lt;script&gt;");
    }

    @Test
    void nothingIsAcknowledgedThatIsNotOnDisk() throws Exception {
        diskFull = true;
        assertThat(post(link("bob@far.example"), FORM, "List-Unsubscribe=One-Click").statusCode()).isEqualTo(503);
        diskFull = false;
        assertThat(post(link("bob@far.example"), FORM, "List-Unsubscribe=One-Click").statusCode()).isEqualTo(200);
        assertThat(events).hasSize(1);
    }
}
