package org.slipstream.world;

import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;
import org.xbill.DNS.io.UdpIoClient;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// The name server of a world. It answers over UDP, late, wrongly or not at all when the plan says
/// so.
final class WorldDns implements UdpIoClient {
    private static final long TTL_SECONDS = 300;

    private final WorldScheduler scheduler;
    private final Map<Name, String> addresses = new LinkedHashMap<>();
    private final Map<Name, List<Name>> exchangers = new LinkedHashMap<>();
    private int lost;
    private int failed;

    WorldDns(WorldScheduler scheduler) {
        this.scheduler = scheduler;
    }

    /// One more host for the mail of a domain.
    void add(String domain, String host, String address) {
        exchangers.computeIfAbsent(name(domain), _ -> new ArrayList<>()).add(name(host));
        addresses.put(name(host), address);
    }

    /// @param lost of 1,000 questions; @param failed answered with SERVFAIL, of 1,000
    void trouble(int lost, int failed) {
        this.lost = lost;
        this.failed = failed;
    }

    private static Name name(String text) {
        try {
            return Name.fromString(text + ".");
        } catch (TextParseException wrong) {
            throw new IllegalArgumentException(wrong);
        }
    }

    @Override
    public CompletableFuture<byte[]> sendAndReceiveUdp(InetSocketAddress local, InetSocketAddress remote,
            Message query, byte[] data, int max, Duration timeout) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        WorldScheduler.Process asker = scheduler.current();
        boolean silent = lost > 0 && scheduler.draw(1_000) < lost;
        long nanos = silent ? timeout.toNanos() : 200_000L + scheduler.draw(5_000_000);
        byte[] bytes = answer(query).toWire();
        scheduler.schedule(() -> asker.start("dns-answer", () -> {
            if (silent) {
                answer.completeExceptionally(new java.io.IOException("Timed out"));
            } else {
                answer.complete(bytes);
            }
        }), nanos);
        return answer;
    }

    private Message answer(Message query) {
        Message answer = new Message(query.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.getHeader().setFlag(Flags.RA);
        Record question = query.getQuestion();
        answer.addRecord(question, Section.QUESTION);
        Name asked = question.getName();
        if (failed > 0 && scheduler.draw(1_000) < failed) {
            answer.getHeader().setRcode(Rcode.SERVFAIL);
        } else if (question.getType() == Type.MX && exchangers.containsKey(asked)) {
            exchangers.get(asked).forEach(host -> answer
                    .addRecord(new MXRecord(asked, DClass.IN, TTL_SECONDS, 10, host), Section.ANSWER));
        } else if (question.getType() == Type.A && addresses.containsKey(asked)) {
            answer.addRecord(new ARecord(asked, DClass.IN, TTL_SECONDS, address(addresses.get(asked))),
                    Section.ANSWER);
        } else if (!exchangers.containsKey(asked) && !addresses.containsKey(asked)) {
            answer.getHeader().setRcode(Rcode.NXDOMAIN);
        }
        return answer;
    }

    private static java.net.InetAddress address(String text) {
        return java.net.InetAddress.ofLiteral(text);
    }
}
