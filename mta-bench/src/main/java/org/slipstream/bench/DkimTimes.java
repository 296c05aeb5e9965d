package org.slipstream.bench;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.slipstream.auth.dkim.BodyHash;
import org.slipstream.auth.dkim.BodyHashes;
import org.slipstream.auth.dkim.DkimAlgorithm;
import org.slipstream.auth.dkim.DkimSigner;
import org.slipstream.auth.dkim.DkimVerdict;
import org.slipstream.auth.dkim.DkimVerifier;
import org.slipstream.auth.dkim.KeyName;
import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.auth.dkim.SignedFields;
import org.slipstream.auth.dkim.SigningKey;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.TextAnswer;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/// Measures signing and verifying a message of 4 and 64 KiB whose body comes in blocks of 8 KiB, as
/// a connection has them. The answer of DNS costs nothing here.
///
/// The body is text: words of one to ten letters in lines of 72, which is the dearest form for the
/// relaxed canonicalization. `hash` is its part without a signature.
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 8, time = 3)
@Fork(value = 1, jvmArgsAppend = {"-XX:+UseParallelGC", "-XX:+UseCompactObjectHeaders", "-Xms512m", "-Xmx512m"})
public class DkimTimes {
    private static final int BLOCK = 8 << 10;
    private static final int COLUMNS = 72;
    private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);
    private static final String HEADER = "Received: from client.example ([192.0.2.1])\r\n\tby mx.example.org with ESMTPS\r\n"
            + "From: Joe SixPack <joe@example.org>\r\nTo: Suzie Q <suzie@example.net>\r\nSubject: Is dinner ready?\r\n"
            + "Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)\r\nMessage-ID: <20030712040037.46341.5F8J@example.org>\r\n"
            + "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";

    @Param({"4096", "65536"})
    int octets;

    @Param({"RSA", "ED25519"})
    DkimAlgorithm algorithm;

    private byte[] header;
    private byte[] body;
    private SigningKey key;
    private byte[] signedHeader;
    private DnsLookup dns;

    @Setup
    public void make() {
        header = HEADER.getBytes(StandardCharsets.US_ASCII);
        body = text(octets - header.length);
        key = SigningKey.create(KeyName.of("example.org", "s1").orElseThrow(), algorithm);
        TextAnswer record = new TextAnswer.Found(List.of(key.record()));
        dns = (_, _) -> record;
        signedHeader = (sign() + HEADER).getBytes(StandardCharsets.US_ASCII);
        if (verify() != DkimVerdict.PASS) {
            throw new IllegalStateException("the signature is wrong");
        }
    }

    private static byte[] text(int length) {
        Random random = new Random(1);
        StringBuilder text = new StringBuilder(length + COLUMNS);
        int column = 0;
        while (text.length() < length) {
            int letters = 1 + random.nextInt(10);
            text.repeat('a' + random.nextInt(26), letters);
            column += letters + 1;
            text.append(column > COLUMNS ? "\r\n" : " ");
            column = column > COLUMNS ? 0 : column;
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    @Benchmark
    public byte[] hash() {
        BodyHash hash = DkimSigner.bodyHash();
        for (int at = 0; at < body.length; at += BLOCK) {
            hash.update(body, at, Math.min(body.length, at + BLOCK));
        }
        return hash.finish();
    }

    @Benchmark
    public String sign() {
        return DkimSigner.fields(List.of(key), SignedFields.USUAL, new RawHeader(header), hash(), NOW);
    }

    @Benchmark
    public DkimVerdict verify() {
        BodyHashes bodies = new BodyHashes();
        DkimVerifier verifier = new DkimVerifier(new RawHeader(signedHeader), NOW, bodies);
        for (int at = 0; at < body.length; at += BLOCK) {
            bodies.update(body, at, Math.min(body.length, at + BLOCK));
        }
        return verifier.results(dns).getFirst().verdict();
    }
}
