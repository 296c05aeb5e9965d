package org.slipstream.auth.dkim;

import org.junit.jupiter.api.Test;
import org.slipstream.core.dns.DnsLookup;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/// The messages of RFC 6376 appendix A and RFC 8463 appendix A.
class RfcExamplesTest {
    private static final String MESSAGE = """
            From: Joe SixPack <joe@football.example.com>
            To: Suzie Q <suzie@shopping.example.net>
            Subject: Is dinner ready?
            Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
            Message-ID: <20030712040037.46341.5F8J@football.example.com>

            Hi.

            We lost the game.  Are you hungry yet?

            Joe.
            """;
    private static final String ED25519_FIELD = """
            DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;
             d=football.example.com; i=@football.example.com;
             q=dns/txt; s=brisbane; t=1528637909; h=from : to :
             subject : date : message-id : from : subject : date;
             bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
             b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus
             Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==
            """;
    private static final String RSA_FIELD = """
            DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;
             d=football.example.com; i=@football.example.com;
             q=dns/txt; s=test; t=1528637909; h=from : to : subject :
             date : message-id : from : subject : date;
             bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
             b=F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3
             DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2Jz
             dA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=
            """;
    private static final String SIMPLE_FIELD = """
            DKIM-Signature: v=1; a=rsa-sha256; s=brisbane; d=example.com;
                  c=simple/simple; q=dns/txt; i=joe@football.example.com;
                  h=Received : From : To : Subject : Date : Message-ID;
                  bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
                  b=AuUoFEfDxTDkHlLXSZEpZj79LICEps6eda7W3deTVFOk4yAUoqOB
                  4nujc7YopdG5dWLSdNg6xNAZpOPr+kHxt1IrE+NahM6L/LbvaHut
                  KVdkLLkpVaVVQPzeRDI009SO2Il5Lu7rDNH6mZckBdrIx0orEtZV
                  4bmp/YzhwvcubU4=;
            Received: from client1.football.example.com  [192.0.2.1]
                  by submitserver.example.com with SUBMISSION;
                  Fri, 11 Jul 2003 21:01:54 -0700 (PDT)
            """;
    private static final DnsLookup DNS = TestMail.dns(Map.of("brisbane._domainkey.football.example.com",
            List.of("v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="),
            "test._domainkey.football.example.com",
            List.of("v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOK"
                    + "b2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLz"
                    + "BfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB"),
            "brisbane._domainkey.example.com",
            List.of("v=DKIM1; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYtIxN2SnFC"
                    + "jxOCKG9v3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGja"
                    + "NBcWToIMmPSPDdQPNUYckcQ2QIDAQAB")));

    private static byte[] wire(String text) {
        return text.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void bothSignaturesOfRfc8463Pass() {
        assertThat(TestMail.verify(wire(ED25519_FIELD + RSA_FIELD + MESSAGE), DNS)).containsExactly(
                new DkimResult(DkimVerdict.PASS, "", "football.example.com", "brisbane", "ed25519-sha256",
                        "@football.example.com", "/gCrinpc", 256, false),
                new DkimResult(DkimVerdict.PASS, "", "football.example.com", "test", "rsa-sha256",
                        "@football.example.com", "F45dVWDf", 1024, false));
    }

    @Test
    void theSimpleSignatureOfRfc6376Passes() {
        byte[] message = wire(SIMPLE_FIELD + MESSAGE.replace("game.  Are", "game. Are"));
        assertThat(TestMail.verify(message, DNS)).containsExactly(new DkimResult(DkimVerdict.PASS, "", "example.com",
                "brisbane", "rsa-sha256", "joe@football.example.com", "AuUoFEfD", 1024, false));
    }

    @Test
    void aSimpleSignatureCountsBlanksThatARelaxedOneDoesNot() {
        String body = MESSAGE.replace("game.  Are", "game. \t Are");
        assertThat(TestMail.verify(wire(ED25519_FIELD + body), DNS)).extracting(DkimResult::verdict)
                .containsExactly(DkimVerdict.PASS);
        assertThat(TestMail.verify(wire(SIMPLE_FIELD + body), DNS)).extracting(DkimResult::reason)
                .containsExactly("the body was changed");
    }

    @Test
    void theKeyOfRfc8463MakesTheSameSignature() throws IOException {
        byte[] pkcs8 = Base64.getDecoder().decode("MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g");
        SigningKey key = SigningKey.read(KeyName.of("football.example.com", "brisbane").orElseThrow(),
                "-----BEGIN PRIVATE KEY-----\n" + Base64.getEncoder().encodeToString(pkcs8)
                        + "\n-----END PRIVATE KEY-----\n");
        assertThat(key.record()).isEqualTo("v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
        RawHeader header = new RawHeader(wire(ED25519_FIELD + MESSAGE));
        DkimSignature signature = new DkimSignature(header.fields().getFirst(), DkimSignature.SignatureKind.DKIM,
                header,
                TestMail.NOW);
        assertThat(key.sign(signature.signedHeader(signature.signedFields(header)))).isEqualTo(signature.signature());
    }
}
