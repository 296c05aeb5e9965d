package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerExim;
import org.slipstream.it.fixture.PeerOffer;
import org.slipstream.it.fixture.PeerPostfix;
import org.slipstream.it.fixture.PeerRecipe;
import org.slipstream.it.fixture.PeerSmtpSink;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPeers;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;
import static org.slipstream.it.fixture.PeerOffer.LOGIN;
import static org.slipstream.it.fixture.PeerOffer.PASSWORD;

/// Mail through a smart host: a Postfix or an Exim that requires a login, with every mechanism it
/// may offer, and the failures when password, certificate or eight-bit content are not accepted.
@RequiresPeers
class SmartHostPeerIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<Variant, Peer> PEERS = new EnumMap<>(Variant.class);
    private static PackagedServer shared;

    /// The smart hosts, and the entry in the log of each about the login.
    enum Variant {

        /// The best of three.
        POSTFIX_CHOICE(new PeerPostfix(demanding("PLAIN", "LOGIN", "SCRAM-SHA-256")),
                "sasl_method=SCRAM-SHA-256"),
        /// The older SCRAM is better than none.
        POSTFIX_SCRAM_SHA_1(new PeerPostfix(demanding("LOGIN", "SCRAM-SHA-1")),
                "sasl_method=SCRAM-SHA-1"),
        /// SCRAM does not disclose the password, so it is the better choice, above all without TLS.
        POSTFIX_SCRAM_IN_THE_CLEAR(
                new PeerPostfix(demanding("PLAIN", "SCRAM-SHA-256").inTheClear()),
                "sasl_method=SCRAM-SHA-256"),
        /// One round trip.
        POSTFIX_PLAIN(new PeerPostfix(demanding("PLAIN")),
                "sasl_method=PLAIN"),
        /// For the test of conversion.
        POSTFIX_SEVEN_BITS(
                new PeerPostfix(demanding("SCRAM-SHA-256").withoutEightBits()),
                "sasl_method=SCRAM-SHA-256"),
        /// Two challenges and two responses.
        POSTFIX_LOGIN(
                new PeerPostfix(demanding("LOGIN")),
                "sasl_method=LOGIN"),
        /// PLAIN is preferred to LOGIN.
        EXIM_PLAIN(
                new PeerExim(demanding("PLAIN", "LOGIN")),
                "A=plain:" + LOGIN),
        /// LOGIN, and no pipelining after it.
        EXIM_LOGIN(
                new PeerExim(
                        demanding("LOGIN").withoutPipelining()),
                "A=login:" + LOGIN),
        /// Only LOGIN, and no TLS.
        EXIM_LOGIN_IN_THE_CLEAR(
                new PeerExim(demanding("LOGIN")
                        .inTheClear()),
                "A=login:" + LOGIN),
        /// Announces no login.
        SMTP_SINK(new PeerSmtpSink(), "");

        private final PeerRecipe recipe;
        private final String trace;

        Variant(PeerRecipe recipe, String trace) {
            this.recipe = recipe;
            this.trace = trace;
        }

        private static PeerOffer demanding(String... mechanisms) {
            return PeerOffer.everything().demandingLogin(mechanisms);
        }

        String domain() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".example";
        }
    }

    /// Two of them offer no TLS and only mechanisms that disclose the password, so that is allowed
    /// here.
    @BeforeAll
    static void start() {
        var settings = Settings.quick().sendingLongLines().set("smarthost.login-in-the-clear", "true");
        var logins = new StringBuilder("# host login password\n");
        for (var variant : Variant.values()) {
            var peer = BENCH.keep(Peer.start(variant.recipe));
            PEERS.put(variant, peer);
            settings = settings.route(variant.domain(), peer.route());
            logins.append(login(peer, PASSWORD));
        }
        shared = BENCH.server(settings.set("smarthost.credentials", file(logins.toString()).toString()));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTFIX_SEVEN_BITS")
    void mailGoesThroughWithTheBestLoginOffered(Variant variant) {
        var peer = PEERS.get(variant);
        var messages = PeerStories.numbered(variant.domain(), 0, 12);
        var story = new PeerStories(shared, peer, variant.domain());
        story.sendAll(messages);
        story.allArriveOnce(variant.domain(), messages);
        assertThat(peer.log()).contains(variant.trace);
    }

    /// A wrong password, a password that would be sent without TLS (RFC 4954 section 4), a
    /// certificate that is not trusted: mail waits, the reason is shown, and the mail arrives once
    /// after a restart with the right settings.
    @Test
    void mailWaitsUntilPasswordProtectionAndCertificateAreRight() {
        var mistyped = BENCH.keep(Peer.start(new PeerPostfix(PeerOffer.everything().demandingLogin("PLAIN"))));
        var naked = BENCH
                .keep(Peer.start(new PeerPostfix(PeerOffer.everything().inTheClear().demandingLogin("PLAIN"))));
        var unknown = BENCH.keep(Peer.start(new PeerPostfix(PeerOffer.everything())));
        var settings = Settings.quick().sendingLongLines().route("mistyped.example", mistyped.route())
                .route("naked.example", naked.route())
                .route("unknown.example", "smtp:localhost:" + unknown.port() + " tls=verify");
        var server = BENCH.server(settings.set("smarthost.credentials",
                file(login(mistyped, "wrong " + PASSWORD) + login(naked, PASSWORD)).toString()));
        var stories = List.of(new PeerStories(server, mistyped, "mistyped.example"),
                new PeerStories(server, naked, "naked.example"), new PeerStories(server, unknown, "unknown.example"));

        stories.forEach(story -> story.sendAll(PeerStories.numbered(story.domain(), 0, 1)));
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).hasSize(3).allSatisfy(message -> {
            assertThat(message.path("state").asString()).isEqualTo("deferred");
            assertThat(message.path("why").asString()).isNotBlank();
        }));
        // A retry may be under way in any moment.
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages())
                .map(message -> message.path("why").asString())
                .anySatisfy(why -> assertThat(why).contains("authentication failed")));
        assertThat(stories).allSatisfy(story -> assertThat(story.peer().mail()).isEmpty());
        assertThat(naked.log()).as("the password never left").doesNotContain("authentication failed", "auth=");

        server.stop();
        server.startAgain(settings.set("smarthost.login-in-the-clear", "true")
                .set("smarthost.authorities", unknown.certificate().toString()).set("smarthost.credentials",
                        file(login(mistyped, PASSWORD) + login(naked, PASSWORD)).toString())
                .pairs());
        stories.forEach(story -> story.allArriveOnce(story.domain(), PeerStories.numbered(story.domain(), 0, 1)));
        assertThat(unknown.log()).contains("TLS connection established");
    }

    /// RFC 6152 section 3: content is converted for a server that does not announce 8BITMIME.
    @Test
    void eightBitsAreConvertedForAServerThatDoesNotTakeThem() {
        var variant = Variant.POSTFIX_SEVEN_BITS;
        var peer = PEERS.get(variant);
        var outgoing = new OutgoingMessage("someone@client.example", List.of("converted@" + variant.domain()), """
                From: <someone@client.example>
                Message-ID: <eight@client.example>
                MIME-Version: 1.0
                Content-Type: text/plain; charset=utf-8
                Content-Transfer-Encoding: 8bit

                Grüße aus Zürich
                .
                ...and a dot
                """.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8));
        new PeerStories(shared, peer, variant.domain()).sendAll(List.of(outgoing));
        eventually().untilAsserted(() -> assertThat(peer.mail())
                .filteredOn(mail -> mail.recipient().startsWith("converted@")).hasSize(1));
        var converted = peer.mail().stream().filter(mail -> mail.recipient().startsWith("converted@")).findFirst();
        assertThat(new String(converted.orElseThrow().content(), StandardCharsets.ISO_8859_1))
                .contains("Content-Transfer-Encoding: quoted-printable", "Gr=C3=BC=C3=9Fe aus Z=C3=BCrich\n")
                .contains("\n...and a dot\n").matches(text -> text.chars().allMatch(c -> c < 128), "seven bits");
    }

    private static String login(Peer peer, String password) {
        return "127.0.0.1:" + peer.port() + " " + LOGIN + " " + password + "\n";
    }

    /// Readable by its owner alone.
    private static Path file(String text) {
        try {
            var file = Files.writeString(BENCH.folder().resolve("logins"), text);
            return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
