package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.smtpin.policy.Client;

import java.net.InetAddress;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class ReceivedLineTest {
    private static final QueueId ID = new QueueId(1_800_000_000_000L << 10);

    @Test
    void namesWhoWhereHowAndWhen() {
        assertThat(ReceivedLine.compose(client("192.0.2.7", true, Optional.empty()), ReceivedLine.Protocol.ESMTP,
                "mx.test", ID,
                Optional.of(Address.of("b@y.example")), Ports.NOON)).isEqualTo(
                        "Received: from client.example ([192.0.2.7])\r\n\tby mx.test (Slipstream) with ESMTP id " + ID
                                + "\r\n\tfor <b@y.example>;\r\n\tSat, 21 Nov 2026 12:00:00 +0000\r\n");
    }

    @Test
    void doesNotTellOneRecipientOfTheOthers() {
        assertThat(ReceivedLine.compose(client("192.0.2.7", true, Optional.empty()), ReceivedLine.Protocol.ESMTP,
                "mx.test", ID, Optional.empty(),
                Ports.NOON)).doesNotContain("for ");
    }

    @Test
    void namesTheProtocolAsIndexed() {
        assertThat(with(client("192.0.2.7", false, Optional.empty()))).contains(" with SMTP id ");
        assertThat(with(client("2001:db8::7", true, Optional.of("TLSv1.3 TLS_AES_256_GCM_SHA384"))))
                .contains("([IPv6:2001:db8:0:0:0:0:0:7])").contains(" with ESMTPS id ")
                .contains("\r\n\ttls TLS_AES_256_GCM_SHA384;");
    }

    @Test
    void datesFollowTheClockInBothDirections() {
        assertThat(ReceivedLine.date(Ports.NOON)).isEqualTo("Sat, 21 Nov 2026 12:00:00 +0000");
        assertThat(ReceivedLine.date(Ports.NOON.plusMillis(999))).isEqualTo("Sat, 21 Nov 2026 12:00:00 +0000");
        assertThat(ReceivedLine.date(Ports.NOON.plusMillis(1_000))).isEqualTo("Sat, 21 Nov 2026 12:00:01 +0000");
        assertThat(ReceivedLine.date(Ports.NOON.minusMillis(1))).isEqualTo("Sat, 21 Nov 2026 11:59:59 +0000");
    }

    private static String with(Client client) {
        return ReceivedLine.compose(client, ReceivedLine.Protocol.ESMTP, "mx.test", ID, Optional.empty(), Ports.NOON);
    }

    private static Client client(String address, boolean extended, Optional<String> tls) {
        return new Client(1, InetAddress.ofLiteral(address), Optional.of("client.example"), extended, tls,
                Optional.empty(), "smtp");
    }
}
