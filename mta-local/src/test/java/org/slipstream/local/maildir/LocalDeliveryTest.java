package org.slipstream.local.maildir;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class LocalDeliveryTest {
    private static final QueueId ID = QueueId.after(0, 1_795_269_600_123L);

    @TempDir
    Path home;

    @Test
    void theEnvelopeIsWrittenOnTopOfTheMessage() throws IOException {
        List<RecipientOutcome> outcomes = deliver(real(), "Subject: x\r\n\r\nHello\r\n", "sender@far.example",
                "Alice+tag@here.example");
        assertThat(outcomes).singleElement().satisfies(o -> {
            assertThat(o.number()).isEqualTo(1);
            assertThat(o.outcome()).isInstanceOf(Outcome.Delivered.class);
            assertThat(o.outcome().remote()).isEqualTo("maildir:alice@here.example");
        });
        assertThat(content("alice")).isEqualTo("Return-Path: <sender@far.example>\r\n"
                + "Delivered-To: Alice+tag@here.example\r\nSubject: x\r\n\r\nHello\r\n");
    }

    @Test
    void theNullSenderIsAnEmptyReturnPath() throws IOException {
        deliver(real(), "\r\n", "", "alice@here.example");
        assertThat(content("alice")).startsWith("Return-Path: <>\r\n");
    }

    @Test
    void markedMailGoesToTheFolderForSpam() throws IOException {
        deliver(real(), "x-spam:  YES\r\nSubject: x\r\n\r\n", "s@far.example", "alice@here.example");
        Path junk = home.resolve("mail/here.example/alice/.Junk");
        assertThat(junk.resolve("maildirfolder")).isRegularFile();
        try (var files = Files.list(junk.resolve("new"))) {
            assertThat(files).hasSize(1);
        }
        assertThat(home.resolve("mail/here.example/alice/new")).isEmptyDirectory();
    }

    @Test
    void otherFieldsAndTheBodyAreNoMarkOfSpam() throws IOException {
        deliver(real(), "X-Spam: No\r\nX-Spam-Score: Yes\r\n\r\nX-Spam: Yes\r\n", "s@far.example",
                "alice@here.example");
        assertThat(content("alice")).contains("X-Spam: No");
    }

    @Test
    void aReaderWithoutFoldersHasAllMailInTheInbox() throws IOException {
        Envelope envelope = envelope("s@far.example", "alice@here.example");
        new LocalDelivery(real(), LocalDeliveryTest::mailbox, false).deliver(ID, envelope, envelope.recipients(),
                message("X-Spam: Yes\r\n\r\n"));
        assertThat(content("alice")).contains("X-Spam: Yes");
    }

    @Test
    void eachRecipientHasAnOutcomeOfItsOwn() throws IOException {
        Files.createDirectories(home.resolve("mail/here.example"));
        Files.writeString(home.resolve("mail/here.example/blocked"), "I am a file.");
        List<RecipientOutcome> outcomes = deliver(real(), "Subject: x\r\n\r\n", "s@far.example", "alice@here.example",
                "stranger@here.example", "blocked@here.example", "bob@here.example");
        assertThat(outcomes).extracting(RecipientOutcome::number).containsExactly(1, 2, 3, 4);
        assertThat(replies(outcomes)).containsExactly("250 2.0.0 delivered to mailbox",
                "550 5.1.1 unknown user: stranger@here.example", "450 4.2.0 cannot update mailbox",
                "250 2.0.0 delivered to mailbox");
    }

    @Test
    void aMessageThatHasBeenInThisMailboxIsALoop() {
        String before = "Received: by x\r\nDELIVERED-TO:  Alice@HERE.example \r\nDelivered-To: bob@here.example\r\n\r\n";
        List<RecipientOutcome> outcomes = deliver(real(), before, "s@far.example", "alice@here.example",
                "carol@here.example");
        assertThat(outcomes.getFirst().outcome()).isInstanceOf(Outcome.Failed.class);
        assertThat(replies(outcomes).getFirst()).startsWith("554 5.4.6 ");
        assertThat(outcomes.getLast().outcome()).isInstanceOf(Outcome.Delivered.class);
    }

    @Test
    void quotedFieldsInTheBodyAreNoLoop() {
        List<RecipientOutcome> outcomes = deliver(real(), "Subject: x\r\n\r\nDelivered-To: alice@here.example\r\n",
                "s@far.example", "alice@here.example");
        assertThat(outcomes.getFirst().outcome()).isInstanceOf(Outcome.Delivered.class);
    }

    @Test
    void aHeaderWithoutEndIsReadToItsLimit() {
        String endless = "X-Long: " + "x".repeat(200_000);
        assertThat(deliver(real(), endless, "s@far.example", "alice@here.example").getFirst().outcome())
                .isInstanceOf(Outcome.Delivered.class);
    }

    @Test
    void troubleOfOursIsNeverABounce() {
        assertThat(replyTo(new IOException("/mail/x: No space left on device"))).startsWith("452 4.3.1 ");
        assertThat(replyTo(new IOException("Disk quota exceeded"))).startsWith("452 4.3.1 ");
        assertThat(replyTo(new AccessDeniedException("/mail/x"))).startsWith("450 4.2.0 ");
        assertThat(replyTo(new IOException("Input/output error"))).startsWith("451 4.3.0 ");
    }

    @Test
    void aMessageThatCannotBeReadIsDeferredForEverybody() {
        Content damaged = new Content() {
            @Override
            public long sizeBytes() {
                return 10;
            }

            @Override
            public InputStream open() throws IOException {
                throw new IOException("checksum");
            }
        };
        Envelope envelope = envelope("s@far.example", "alice@here.example", "bob@here.example");
        assertThat(local(real()).deliver(ID, envelope, envelope.recipients(), damaged)).isEqualTo(
                new LocalDelivery.LocalResult.Unreadable(Reply.of(451, "4.3.0", "queue file read error")));
    }

    /// PF-16: no mailbox is to be tried at full speed while the disk is gone.
    @Test
    void aFolderOfMailboxesThatCannotBeWrittenIsNoMatterOfOneMailbox() throws IOException {
        Files.writeString(home.resolve("mail"), "a file where the folder should be");
        Envelope envelope = envelope("s@far.example", "alice@here.example", "bob@here.example");
        assertThat(local(real()).deliver(ID, envelope, envelope.recipients(), message("Subject: x\r\n\r\n")))
                .isInstanceOf(LocalDelivery.LocalResult.DiskGone.class);
    }

    private String replyTo(IOException trouble) {
        Path root = home.resolve("mail");
        MaildirDelivery failing = new MaildirDelivery(root, "h", TroubledDisk.failing(root, 0, trouble));
        return replies(deliver(failing, "Subject: x\r\n\r\n", "s@far.example", "alice@here.example")).getFirst();
    }

    private MaildirDelivery real() {
        return new MaildirDelivery(home.resolve("mail"), "mail.here.example");
    }

    private static LocalDelivery local(MaildirDelivery maildirs) {
        return new LocalDelivery(maildirs, LocalDeliveryTest::mailbox, true);
    }

    private static List<RecipientOutcome> deliver(MaildirDelivery maildirs, String message, String sender,
            String... recipients) {
        Envelope envelope = envelope(sender, recipients);
        return ((LocalDelivery.LocalResult.Decided) local(maildirs).deliver(ID, envelope, envelope.recipients(),
                message(message))).outcomes();
    }

    private static Content message(String text) {
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        return new Content() {
            @Override
            public long sizeBytes() {
                return content.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(content);
            }
        };
    }

    private static Envelope envelope(String sender, String... recipients) {
        return Envelope.of(Address.parse(sender), Arrays.stream(recipients).map(Address::of).toList());
    }

    private static Optional<Address> mailbox(Address address) {
        String name = address.localPart().toLowerCase(Locale.ROOT).split("\\+")[0];
        return Optional.of(new Address(name, address.domainKey())).filter(a -> !a.localPart().equals("stranger"));
    }

    private static List<String> replies(List<RecipientOutcome> outcomes) {
        return outcomes.stream().map(o -> o.outcome().reply().toString()).toList();
    }

    private String content(String mailbox) throws IOException {
        try (var files = Files.list(home.resolve("mail/here.example").resolve(mailbox).resolve("new"))) {
            return Files.readString(assertThat(files).singleElement().actual());
        }
    }
}
