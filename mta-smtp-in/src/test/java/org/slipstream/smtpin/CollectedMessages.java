package org.slipstream.smtpin;

import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.policy.Client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// A message handler in memory that accepts all recipients except `nobody`, with a disk that fills
/// up on request.
class CollectedMessages implements MessageHandler {
    record Accepted(Client client, Envelope envelope, EnvelopeExtras extras, Optional<ContentFacts> facts,
            String content) {
        /// The content without the trace lines that we put on top, and with `ID` for the queue id
        /// in a Message-ID of ours.
        String asSent() {
            int at = content.indexOf("\r\n");
            while (content.startsWith("\r\n\t", at)) {
                at = content.indexOf("\r\n", at + 2);
            }
            return content.substring(at + 2).replaceAll("(?<=<20261121120000\\.)\\w+(?=@mx.test>)", "ID");
        }
    }

    final BlockingQueue<Accepted> accepted = new LinkedBlockingQueue<>();
    final AtomicInteger openDrafts = new AtomicInteger();
    final AtomicInteger drafts = new AtomicInteger();
    final AtomicInteger largestWrite = new AtomicInteger();
    /// Ids of all handlers of the test run differ, as they do in one log.
    private static final AtomicLong lastId = new AtomicLong(System.currentTimeMillis() << 10);
    /// `fine`, or the call during which the disk is full: `draft`, `write`, `commit`.
    volatile String disk = "fine";
    volatile ContentRules rules = ContentRules.STRICT;
    volatile Interruptible beforeCommit = () -> {};

    interface Interruptible {
        void run() throws InterruptedException;
    }

    @Override
    public HandlerVerdict sender(Client client, Optional<Address> sender, long declaredBytes) {
        return sender.isPresent() && sender.get().localPart().equals("refused")
                ? HandlerVerdict.refuse(550, "5.7.1", "We do not like you")
                : HandlerVerdict.accept();
    }

    @Override
    public HandlerVerdict recipient(Client client, Optional<Address> sender, Address recipient) {
        return switch (recipient.localPart()) {
            case "nobody" -> HandlerVerdict.refuse(550, "5.1.1", "No such user");
            case "later" -> HandlerVerdict.refuse(450, "4.2.1", "Try later");
            case "plain" -> new HandlerVerdict.Refuse(Reply.of(550, "No status from me"));
            case "away" -> HandlerVerdict.refuse(421, "4.3.2", "Leaving now");
            case "broken" -> throw new IllegalStateException("planted");
            default -> HandlerVerdict.accept();
        };
    }

    @Override
    public ContentRules rules(Client client) {
        return rules;
    }

    @Override
    public DraftContent draft(Client client) throws IOException {
        failIf("draft");
        openDrafts.incrementAndGet();
        drafts.incrementAndGet();
        return new Draft(client, new QueueId(lastId.incrementAndGet()));
    }

    @Override
    public Reply troubleReply(IOException trouble) {
        return Reply.of(452, "4.3.1", "No space left");
    }

    private void failIf(String call) throws IOException {
        if (disk.equals(call)) {
            throw new IOException("No space left on device");
        }
    }

    private final class Draft implements DraftContent {
        private final Client client;
        private final QueueId id;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Draft(Client client, QueueId id) {
            this.client = client;
            this.id = id;
        }

        @Override
        public QueueId id() {
            return id;
        }

        @Override
        public void write(byte[] block, int offset, int length) throws IOException {
            failIf("write");
            largestWrite.accumulateAndGet(length, Math::max);
            bytes.write(block, offset, length);
        }

        @Override
        public Content content() {
            return Content.of(bytes.toByteArray());
        }

        @Override
        public void replaceStart(int count, byte[] start) throws IOException {
            failIf("write");
            byte[] now = bytes.toByteArray();
            bytes.reset();
            bytes.write(start);
            bytes.write(now, count, now.length - count);
        }

        @Override
        public void commit(Envelope envelope, EnvelopeExtras extras, Optional<ContentFacts> facts) throws IOException {
            failIf("commit");
            try {
                beforeCommit.run();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            String content = bytes.toString(StandardCharsets.ISO_8859_1);
            facts.ifPresent(known -> requireTrue(known, content));
            accepted.add(new Accepted(client, envelope, extras, facts, content));
        }

        // All dialogues of all tests call this.
        private static void requireTrue(ContentFacts known, String content) {
            if (!known.equals(FactsByTheBook.of(content))) {
                throw new IllegalStateException(known + " is not " + FactsByTheBook.of(content));
            }
        }

        @Override
        public void close() {
            openDrafts.decrementAndGet();
        }
    }
}
