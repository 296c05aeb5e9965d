package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.Reply;
import org.slipstream.core.SenderTls;
import org.slipstream.smtpout.dialog.PeerExtensions;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/// Mail that not every peer may get: mail for authenticated TLS only (RFC 8689), or for peers that
/// announce DELIVERBY (RFC 2852).
class DeliveryOptionsTest {
    private static final DeliveryOptions SECRET = new DeliveryOptions(OptionalLong.empty(), Optional.empty(), 0,
            SenderTls.REQUIRED);
    private static final PeerExtensions PROMISES = peer("250-peer", "250-8BITMIME", "250 REQUIRETLS");
    private static final PeerExtensions SILENT = peer("250-peer", "250 8BITMIME");

    @Test
    void itGoesToAPeerWithAVerifiedNameThatPromisesTheSame() throws IOException {
        assertThat(fitting(SECRET, PROMISES, Assurance.AUTHENTICATED)).isEqualTo(PeerCompatibility.AS_IT_IS);
    }

    @Test
    void itGoesToNoOtherHost() throws IOException {
        assertThat(refusal(PROMISES, Assurance.NONE)).startsWith("550 5.7.10 ");
        assertThat(refusal(SILENT, Assurance.NONE)).startsWith("550 5.7.10 ");
        assertThat(refusal(SILENT, Assurance.AUTHENTICATED)).startsWith("550 5.7.30 ");
    }

    @Test
    void mailboxDeliveryNeedsNoExtension() throws IOException {
        assertThat(fitting(SECRET, SILENT, Assurance.FINAL)).isEqualTo(PeerCompatibility.AS_IT_IS);
    }

    @Test
    void mailThatIsToComeBackWhenItIsLateGoesToWhoKnowsOfThat() throws IOException {
        DeliveryOptions back = new DeliveryOptions(OptionalLong.empty(),
                Optional.of(new DeliveryOptions.DeliverBy(1_000, true, false)), 0, SenderTls.USUAL);
        DeliveryOptions notice = new DeliveryOptions(OptionalLong.empty(),
                Optional.of(new DeliveryOptions.DeliverBy(1_000, false, false)), 0,
                SenderTls.USUAL);
        PeerExtensions timed = peer("250-peer", "250-8BITMIME", "250 DELIVERBY");
        assertThat(fitting(back, timed, Assurance.NONE)).isEqualTo(PeerCompatibility.AS_IT_IS);
        assertThat(fitting(back, SILENT, Assurance.FINAL)).isEqualTo(PeerCompatibility.AS_IT_IS);
        assertThat(fitting(notice, SILENT, Assurance.NONE)).isEqualTo(PeerCompatibility.AS_IT_IS);
        assertThat(((PeerCompatibility.Incompatible) fitting(back, SILENT, Assurance.NONE)).reason().toString())
                .startsWith("554 5.3.3 ");
    }

    @Test
    void mailWithoutTheOptionGoesToAnyPeer() throws IOException {
        assertThat(fitting(DeliveryOptions.NONE, SILENT, Assurance.NONE)).isEqualTo(PeerCompatibility.AS_IT_IS);
    }

    private static String refusal(PeerExtensions peer, Assurance assurance) throws IOException {
        return ((PeerCompatibility.Incompatible) fitting(SECRET, peer, assurance)).reason().toString();
    }

    private static PeerCompatibility fitting(DeliveryOptions options, PeerExtensions peer, Assurance assurance)
            throws IOException {
        Envelope envelope = Envelope.of(Optional.of(Address.of("ann@example.org")),
                List.of(Address.of("bob@example.net"))).withOptions(options);
        return PeerCompatibility.of(Post.transfer(1, envelope, new Empty()), peer, assurance);
    }

    private static PeerExtensions peer(String... lines) {
        return PeerExtensions.of(new Reply(250, Optional.empty(), List.of(lines).stream().map(l -> l.substring(4))
                .toList()));
    }

    private record Empty() implements Content {
        @Override
        public long sizeBytes() {
            return 0;
        }

        @Override
        public InputStream open() {
            return new ByteArrayInputStream(new byte[0]);
        }
    }
}
