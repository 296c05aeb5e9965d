package org.slipstream.smtpout.dialog;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.PeerExtensions.PeerExtension;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class PeerExtensionsTest {
    @Test
    void everythingThatWeKnowInAnyCase() {
        PeerExtensions peer = ehlo("pipelining", "SIZE 52428800", "8BITMIME", "SmtpUtf8", "STARTTLS", "CHUNKING", "DSN",
                "ENHANCEDSTATUSCODES", "LIMITS RCPTMAX=20 MAILMAX=5 rcptdomainmax=1", "AUTH plain SCRAM-SHA-256",
                "AUTH=LOGIN", "BINARYMIME", "DELIVERBY 30", "MT-PRIORITY MIXER", "RequireTls", "X-SOMETHING");
        assertThat(peer.announced()).isEqualTo(EnumSet.allOf(PeerExtension.class));
        assertThat(peer.mechanisms()).containsExactlyInAnyOrder("PLAIN", "SCRAM-SHA-256", "LOGIN");
        assertThat(peer.sizeLimit()).hasValue(52428800);
        assertThat(peer.mailMax()).hasValue(5);
        assertThat(peer.recipientMax()).hasValue(20);
        assertThat(peer.domainMax()).hasValue(1);
    }

    @Test
    void mechanismsHaveTheLengthOfTheStandardAndABound() {
        String many = IntStream.range(0, 1_000).mapToObj(i -> "X" + i).collect(Collectors.joining(" "));
        PeerExtensions peer = ehlo("AUTH PLAIN " + "Y".repeat(21) + " Z/Z", "AUTH " + many);
        assertThat(peer.mechanisms()).hasSize(30).contains("PLAIN").doesNotContain("Y".repeat(21), "Z/Z");
    }

    @Test
    void aSizeWithoutANumberOrOfZeroIsNoLimit() {
        for (String size : List.of("SIZE", "SIZE 0", "SIZE many", "SIZE -1", "SIZE 99999999999999999999")) {
            assertThat(ehlo(size).offers(PeerExtension.SIZE)).as(size).isTrue();
            assertThat(ehlo(size).sizeLimit()).as(size).isEmpty();
        }
    }

    @Test
    void limitsThatMakeNoSenseAreNone() {
        PeerExtensions peer = ehlo("LIMITS RCPTMAX=0 MAILMAX RCPTDOMAINMAX=x");
        assertThat(peer.recipientMax()).isEmpty();
        assertThat(peer.mailMax()).isEmpty();
        assertThat(peer.domainMax()).isEmpty();
    }

    @Test
    void thePeersNameIsNoExtension() {
        PeerExtensions peer = PeerExtensions.of(Reply.of(250, "PIPELINING"));
        assertThat(peer).isEqualTo(PeerExtensions.NONE);
    }

    private static PeerExtensions ehlo(String... keywords) {
        List<String> lines = new java.util.ArrayList<>(List.of("sink.example Hello"));
        lines.addAll(List.of(keywords));
        return PeerExtensions.of(new Reply(250, Optional.empty(), lines));
    }
}
