package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.EarlyTalker;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.policy.RelayForms;
import org.slipstream.smtpin.protocol.ServicePolicy;
import org.slipstream.testkit.SmtpTalker;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/// The addresses that open-relay tests try, with a handler that accepts every name of its domain:
/// any address that gets through here would get through at a host with a catch-all mailbox.
class OpenRelayTest {
    private static final Set<String> OURS = Set.of("here.example", "[192.0.2.1]", "mx.test");

    /// A handler that accepts its domains from anyone, and other domains from users.
    private static final class CatchAll extends CollectedMessages {
        @Override
        public HandlerVerdict recipient(Client client, Optional<Address> sender, Address recipient) {
            return OURS.contains(recipient.domain().toLowerCase(Locale.ROOT)) || client.user().isPresent()
                    ? HandlerVerdict.accept()
                    : HandlerVerdict.refuse(554, "5.7.1", "<" + recipient + ">: Relay access denied");
        }
    }

    private final CatchAll handler = new CatchAll();
    private final ListenerServices services = ListenerServices.of(handler)
            .withPolicy(new Policy(List.of(new EarlyTalker(), new RelayForms(client -> client.user().isPresent()))))
            .withCredentials(new Users(), ListenerServices.of(handler).guesses());

    @ParameterizedTest
    @ValueSource(strings = {"<x@far.example>", "<x%far.example@here.example>", "<x%far.example@[192.0.2.1]>",
            "<x%far.example@elsewhere.example>", "<\"x@far.example\"@here.example>", "<\"x%far.example\"@here.example>",
            "<\"x@far.example\"@[192.0.2.1]>", "<@here.example:x@far.example>",
            "<@far.example:x@here.example>", "<@here.example,@mx.test:x@far.example>", "<far.example!x@here.example>",
            "<far.example!x@[192.0.2.1]>", "<\"far.example!x\"@here.example>", "<x@[203.0.113.9]>",
            "<x@[IPv6:2001:db8::9]>", "<x%far.example%here.example@here.example>", "<x@here.example.far.example>",
            "<x@xhere.example>", "<x@sub.here.example>", "<x@localhost>", "<postmaster@far.example>"})
    void refusedFromAStranger(String recipient) throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), services);
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            for (String sender : List.of("<>", "<y@far.example>", "<y@here.example>", "<postmaster@here.example>",
                    "<y@[192.0.2.1]>")) {
                assertThat(client.ask("MAIL FROM:" + sender)).startsWith("250");
                assertThat(client.ask("RCPT TO:" + recipient)).as("from %s", sender).startsWith("554 5.7.1 ");
                assertThat(client.ask("DATA")).startsWith("554 5.5.1");
                client.ask("RSET");
            }
        }
        assertThat(handler.drafts).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"<x@far.example@here.example>", "<x@here.example@far.example>", "x@far.example",
            "<\"x\"@far.example@here.example>", "<@[192.0.2.1]:x@far.example>", "<x@far.example>@here.example",
            "<x @far.example>", "<@here.example>",
            "<x@[far.example]>", "<x@[IPv4:203.0.113.9]>", "<x@203.0.113.9]>", "<:x@far.example>", "<far.example!x>",
            "<x%far.example>"})
    void noAddressAtAll(String recipient) throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), services);
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("MAIL FROM:<>");
            assertThat(client.ask("RCPT TO:" + recipient)).startsWith("501 5.");
        }
    }

    @Test
    void honestMailAndOurUsersPass() throws Exception {
        ListenerConfig config = Ports.config().withService(
                ServicePolicy.mx().withAuthentication(ServicePolicy.Authentication.OFFERED, true));
        try (SmtpListener listener = Ports.started(config, services); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("MAIL FROM:<y@far.example>");
            for (String recipient : List.of("<x@here.example>", "<x+tag@HERE.example>", "<\"x y\"@here.example>",
                    "<x@[192.0.2.1]>", "<postmaster>")) {
                assertThat(client.ask("RCPT TO:" + recipient)).as(recipient).startsWith("250");
            }
            client.ask("RSET");
            assertThat(client.ask("AUTH PLAIN AGFsaWNlAHNlY3JldA==")).startsWith("235");
            client.ask("MAIL FROM:<alice@here.example>");
            assertThat(client.ask("RCPT TO:<x%far.example@elsewhere.example>")).startsWith("250");
        }
    }
}
