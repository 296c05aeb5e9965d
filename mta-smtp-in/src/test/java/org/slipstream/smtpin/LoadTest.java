package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

import static org.assertj.core.api.Assertions.assertThat;

class LoadTest {
    @ParameterizedTest
    @ValueSource(ints = {1 << 20, 20 << 20})
    void aLargeMessageIsStreamedInSmallBlocks(int sizeBytes) throws Exception {
        Meter messages = new Meter();
        byte[] line = ("0123456789".repeat(7) + "012345\r\n").getBytes(StandardCharsets.US_ASCII);
        CRC32 sent = new CRC32();
        try (SmtpListener listener = Ports.started(Ports.config(), messages);
                SmtpTalker client = Ports.greeted(listener)) {
            ListenerTest.beginData(client);
            long size = 0;
            for (; size < sizeBytes; size += line.length) {
                client.send(line);
                sent.update(line);
            }
            assertThat(client.ask(".")).startsWith("250");
            assertThat(messages.bytes).hasValue(size);
            assertThat(messages.crc.getValue()).isEqualTo(sent.getValue());
            assertThat(messages.largestBlock).hasValueLessThanOrEqualTo(64 << 10);
        }
    }

    @Test
    void manySessionsAtOnceKeepTheirMessagesApart() throws Exception {
        int sessions = 100;
        int each = 20;
        CollectedMessages messages = new CollectedMessages();
        ListenerConfig config = Ports.with(Ports.config(), "connectionsPerClient", 200);
        try (SmtpListener listener = Ports.started(config, messages);
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> done = new ArrayList<>();
            for (int s = 0; s < sessions; s++) {
                done.add(clients.submit(sender(listener, s, each)));
            }
            for (Future<Integer> one : done) {
                assertThat(one.get(60, TimeUnit.SECONDS)).isEqualTo(each);
            }
        }
        Set<String> subjects = new HashSet<>();
        for (CollectedMessages.Accepted mail : messages.accepted) {
            String sender = mail.envelope().sender().map(Address::localPart).orElse("");
            assertThat(mail.asSent()).isEqualTo("Subject: " + sender + "\r\n\r\n");
            assertThat(mail.client().helo()).contains(sender.substring(0, sender.indexOf('-')) + ".example");
            subjects.add(sender);
        }
        assertThat(subjects).hasSize(sessions * each);
    }

    private static Callable<Integer> sender(SmtpListener listener, int session, int messages) {
        return () -> {
            try (SmtpTalker client = Ports.greeted(listener)) {
                client.ask("EHLO s" + session + ".example");
                int accepted = 0;
                for (int m = 0; m < messages; m++) {
                    String name = "s" + session + "-" + m;
                    client.send("MAIL FROM:<" + name + "@x.example>\r\nRCPT TO:<b@y.example>\r\nDATA\r\n");
                    client.reply();
                    client.reply();
                    client.reply();
                    accepted += client.ask("Subject: " + name + "\r\n\r\n.").startsWith("250") ? 1 : 0;
                }
                client.ask("QUIT");
                return accepted;
            }
        };
    }

    @Test
    void theEnvelopeSaysWhatTheContentIs() throws Exception {
        CollectedMessages messages = new CollectedMessages();
        try (SmtpListener listener = Ports.started(Ports.config(), messages);
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            ListenerTest.send(client, "plain\r\n");
            assertThat(messages.accepted.take().envelope().body()).isEqualTo(BodyType.SEVEN_BIT);
            ListenerTest.send(client, "caf\u00e9\r\n");
            assertThat(messages.accepted.take().envelope().body()).isEqualTo(BodyType.EIGHT_BIT_MIME);
        }
    }

    /// Counts messages and keeps none.
    private static final class Meter implements MessageHandler {
        final AtomicLong bytes = new AtomicLong();
        final AtomicInteger largestBlock = new AtomicInteger();
        final CRC32 crc = new CRC32();

        @Override
        public HandlerVerdict sender(Client client, Optional<Address> sender, long declaredBytes) {
            return HandlerVerdict.accept();
        }

        @Override
        public HandlerVerdict recipient(Client client, Optional<Address> sender, Address recipient) {
            return HandlerVerdict.accept();
        }

        @Override
        public DraftContent draft(Client client) {
            return new DraftContent() {
                private boolean trace = true;

                @Override
                public QueueId id() {
                    return new QueueId(1);
                }

                @Override
                public void write(byte[] block, int offset, int length) {
                    if (trace) {
                        trace = false;
                        return;
                    }
                    bytes.addAndGet(length);
                    crc.update(block, offset, length);
                    largestBlock.accumulateAndGet(length, Math::max);
                }

                @Override
                public Content content() {
                    return Content.of(new byte[0]);
                }

                @Override
                public void replaceStart(int bytes, byte[] start) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void commit(Envelope envelope, EnvelopeExtras extras, Optional<ContentFacts> facts) {}

                @Override
                public void close() {}
            };
        }

        @Override
        public Reply troubleReply(IOException trouble) {
            return Reply.of(451, "4.3.0", "Trouble");
        }
    }
}
