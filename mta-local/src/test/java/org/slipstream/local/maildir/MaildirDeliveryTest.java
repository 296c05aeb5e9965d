package org.slipstream.local.maildir;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MaildirDeliveryTest {
    private static final Address ALICE = Address.of("alice@here.example");
    private static final QueueId ID = QueueId.after(0, 1_795_269_600_123L);
    private static final byte[] TOP = bytes("Return-Path: <a@b.example>\r\n");
    private static final Content LETTER = content("Subject: x\r\n\r\n.Dots, \377 and no last line end");

    @TempDir
    Path home;

    @Test
    void aMessageLiesInNewByteForByte() throws IOException {
        deliver(new MaildirDelivery(mail(), "mail.here.example"), 1);
        assertThat(onlyNew()).hasBinaryContent(whole());
        assertThat(onlyNew().getFileName().toString())
                .isEqualTo("1795269600.M123001Q" + ID + "_1.mail.here.example,S=" + whole().length);
        assertThat(box().resolve("tmp")).isEmptyDirectory();
        assertThat(box().resolve("cur")).isEmptyDirectory();
    }

    @Test
    void onlyTheOwnerMayLook() throws IOException {
        deliver(new MaildirDelivery(mail(), "mail.here.example"), 1);
        for (Path folder : List.of(mail(), mail().resolve("here.example"), box(), box().resolve("new"))) {
            assertThat(permissions(folder)).as(folder.toString()).isEqualTo("rwx------");
        }
        assertThat(permissions(onlyNew())).isEqualTo("rw-------");
    }

    @Test
    void theContentIsOnDiskBeforeTheNameAndTheNameBeforeTheAnswer() throws IOException {
        TroubledDisk disk = TroubledDisk.diaryOnly(mail());
        deliver(new MaildirDelivery(mail(), "h", disk), 1);
        String box = "here.example/alice";
        assertThat(disk.diary).containsExactly("make ", "force ..", "make here.example", "force ",
                "make " + box, "force here.example", "make " + box + "/tmp", "make " + box + "/new",
                "make " + box + "/cur", "force " + box, "create " + box + "/tmp/N", "write " + box + "/tmp/N",
                "write " + box + "/tmp/N", "force " + box + "/tmp/N", "rename to " + box + "/new/N",
                "force " + box + "/new");
        disk.diary.clear();
        deliver(new MaildirDelivery(mail(), "h", disk), 2);
        assertThat(disk.diary).as("a new process does not trust folders that it finds").contains("force " + box);
    }

    @Test
    void aKnownMailboxCostsTwoForces() throws IOException {
        TroubledDisk disk = TroubledDisk.diaryOnly(mail());
        MaildirDelivery delivery = new MaildirDelivery(mail(), "h", disk);
        deliver(delivery, 1);
        disk.diary.clear();
        deliver(delivery, 2);
        assertThat(disk.diary).filteredOn(step -> step.startsWith("force") || step.startsWith("make")).hasSize(2);
    }

    @Test
    void afterAPowerCutAtAnyStepTheMessageIsThereWholeOrNotAtAllAndTheNextAttemptMakesItOne() throws IOException {
        int steps = countSteps();
        for (int step = 0; step < steps; step++) {
            Path root = home.resolve("cut-" + step);
            MaildirDelivery unlucky = new MaildirDelivery(root, "h", TroubledDisk.powerCut(root, step));
            assertThatThrownBy(() -> unlucky.deliver(ALICE, false, ID, 1, TOP, LETTER)).isInstanceOf(
                    TroubledDisk.PowerCut.class);
            for (Path found : newMail(root)) {
                assertThat(found).as("step %d", step).hasBinaryContent(whole());
            }
            new MaildirDelivery(root, "h").deliver(ALICE, false, ID, 1, TOP, LETTER);
            assertThat(newMail(root)).as("step %d", step).singleElement()
                    .satisfies(found -> assertThat(found).hasBinaryContent(whole()));
            assertThat(root.resolve("here.example/alice/tmp")).as("step %d", step).isEmptyDirectory();
        }
    }

    @Test
    void aSecondAttemptAtWhatIsThereOnlyMakesSureOfTheName() throws IOException {
        deliver(new MaildirDelivery(mail(), "h"), 1);
        TroubledDisk disk = TroubledDisk.diaryOnly(mail());
        deliver(new MaildirDelivery(mail(), "h", disk), 1);
        assertThat(disk.diary).noneMatch(step -> step.startsWith("create") || step.startsWith("rename"))
                .endsWith("force here.example/alice/new");
        Files.writeString(onlyNew(), "what a broken file system made of it");
        deliver(new MaildirDelivery(mail(), "h"), 1);
        assertThat(onlyNew()).hasBinaryContent(whole());
    }

    @Test
    void aStepThatFailsLeavesNothingInTheMailboxAndNothingLost() throws IOException {
        int steps = countSteps();
        for (int step = 0; step < steps; step++) {
            Path root = home.resolve("failed-" + step);
            Disk disk = TroubledDisk.failing(root, step, new IOException("No space left on device"));
            MaildirDelivery delivery = new MaildirDelivery(root, "h", disk);
            assertThatThrownBy(() -> delivery.deliver(ALICE, false, ID, 1, TOP, LETTER))
                    .hasMessage("No space left on device");
            delivery.deliver(ALICE, false, ID, 1, TOP, LETTER);
            assertThat(newMail(root)).as("step %d", step).singleElement()
                    .satisfies(found -> assertThat(found).hasBinaryContent(whole()));
        }
    }

    @Test
    void aFullDiskIsNotKeptFullByTheFailedAttempt() throws IOException {
        int writing = 12;
        Disk disk = TroubledDisk.failing(mail(), writing, new IOException("No space left on device"));
        assertThatThrownBy(() -> deliver(new MaildirDelivery(mail(), "h", disk), 1)).isInstanceOf(IOException.class);
        assertThat(box().resolve("tmp")).isEmptyDirectory();
        assertThat(box().resolve("new")).isEmptyDirectory();
    }

    @Test
    void aMessageThatIsShorterThanItSaysIsNotDelivered() throws IOException {
        Content cutOff = new Content() {
            @Override
            public long sizeBytes() {
                return 1_000;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes("Subject: x\r\n"));
            }
        };
        assertThatThrownBy(() -> new MaildirDelivery(mail(), "h").deliver(ALICE, false, ID, 1, TOP, cutOff))
                .isInstanceOf(IOException.class).hasMessageContaining("12 bytes");
        assertThat(box().resolve("new")).isEmptyDirectory();
        assertThat(box().resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void aMailboxRemovedWhileWeRunIsMadeAgain() throws IOException {
        MaildirDelivery delivery = new MaildirDelivery(mail(), "h");
        deliver(delivery, 1);
        Files.delete(onlyNew());
        for (String part : List.of("tmp", "new", "cur", "")) {
            Files.delete(box().resolve(part));
        }
        deliver(delivery, 2);
        assertThat(newMail(mail())).hasSize(1);
        Files.delete(onlyNew());
        Files.delete(box().resolve("new"));
        deliver(delivery, 3);
        assertThat(newMail(mail())).hasSize(1);
    }

    @Test
    void manyDeliveriesAtOnceIntoNewMailboxesAllArrive() throws Exception {
        MaildirDelivery delivery = new MaildirDelivery(mail(), "mail.here.example");
        int messages = 200;
        List<Future<?>> running = new ArrayList<>();
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < messages; i++) {
                QueueId id = QueueId.after(ID.value() + 64L * i, 0);
                running.add(threads.submit(() -> {
                    delivery.deliver(ALICE, false, id, 1, TOP, LETTER);
                    delivery.deliver(Address.of("bob@here.example"), false, id, 2, TOP, LETTER);
                    return null;
                }));
            }
        }
        for (Future<?> each : running) {
            each.get();
        }
        for (String mailbox : List.of("alice", "bob")) {
            try (var files = Files.list(mail().resolve("here.example").resolve(mailbox).resolve("new"))) {
                assertThat(files).hasSize(messages).allSatisfy(file -> assertThat(file).hasBinaryContent(whole()));
            }
        }
    }

    @Test
    void oneMessageForTwoAddressesOfAMailboxComesTwice() throws IOException {
        MaildirDelivery delivery = new MaildirDelivery(mail(), "h");
        deliver(delivery, 1);
        deliver(delivery, 2);
        assertThat(newMail(mail())).hasSize(2);
    }

    @Test
    void aRedeliveryOfWhatAReaderHasTakenComesAgainRatherThanNever() throws IOException {
        deliver(new MaildirDelivery(mail(), "h"), 1);
        Files.move(onlyNew(), box().resolve("cur").resolve(onlyNew().getFileName() + ":2,S"));
        deliver(new MaildirDelivery(mail(), "h"), 1);
        assertThat(newMail(mail())).hasSize(1);
    }

    @Test
    void strangeNamesStayInsideTheMailFolder() throws IOException {
        MaildirDelivery delivery = new MaildirDelivery(mail(), "we:ird/host");
        for (String localPart : List.of("../../x", "a/b", ".", "jürgen", "john doe", "x".repeat(2_000))) {
            delivery.deliver(new Address(localPart, "here.example"), false, ID, 1, TOP, LETTER);
        }
        try (var all = Files.list(mail().resolve("here.example"))) {
            assertThat(all.map(f -> f.getFileName().toString())).hasSize(6).contains("%2E.%2F..%2Fx", "a%2Fb", "%2E",
                    "j%C3%BCrgen", "john%20doe");
        }
        try (var all = Files.list(home)) {
            assertThat(all).containsExactly(mail());
        }
        assertThat(newMail(mail().resolve("here.example/%2E/new"))).singleElement()
                .satisfies(file -> assertThat(file.getFileName().toString()).contains(".we\\072ird\\057host,S="));
    }

    @Test
    @Tag("IM-33")
    void leftoversAreSweptWhenTheyAreOld() throws IOException {
        deliver(new MaildirDelivery(mail(), "h"), 1);
        Instant now = Instant.now();
        Path old = Files.writeString(box().resolve("tmp/old"), "half a mess");
        Path young = Files.writeString(box().resolve("tmp/young"), "half a mess");
        Path read = Files.writeString(box().resolve("cur/read"), "Subject: old, but read\r\n");
        Files.writeString(mail().resolve("a file between the domains"), "");
        for (Path file : List.of(old, read)) {
            Files.setLastModifiedTime(file, FileTime.from(now.minus(Duration.ofHours(37))));
        }
        Files.setLastModifiedTime(young, FileTime.from(now.minus(Duration.ofHours(35))));
        assertThat(UnfinishedFiles.sweep(mail(), now)).isEqualTo(1);
        assertThat(old).doesNotExist();
        assertThat(young).exists();
        assertThat(read).exists();
        assertThat(newMail(mail())).hasSize(1);
        assertThat(UnfinishedFiles.sweep(home.resolve("no mail yet"), now)).isZero();
    }

    private int countSteps() throws IOException {
        Path root = home.resolve("counted");
        TroubledDisk disk = TroubledDisk.diaryOnly(root);
        new MaildirDelivery(root, "h", disk).deliver(ALICE, false, ID, 1, TOP, LETTER);
        return disk.diary.size();
    }

    private Path mail() {
        return home.resolve("mail");
    }

    private Path box() {
        return mail().resolve("here.example/alice");
    }

    private Path onlyNew() throws IOException {
        return assertThat(newMail(mail())).singleElement().actual();
    }

    private static void deliver(MaildirDelivery delivery, int number) throws IOException {
        delivery.deliver(ALICE, false, ID, number, TOP, LETTER);
    }

    /// The files that readers would find in any mailbox below.
    private static List<Path> newMail(Path root) throws IOException {
        if (!Files.exists(root)) {
            return List.of();
        }
        try (var all = Files.walk(root)) {
            return all.filter(Files::isRegularFile).filter(f -> f.getParent().endsWith("new")).sorted().toList();
        }
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static byte[] whole() {
        return bytes("Return-Path: <a@b.example>\r\nSubject: x\r\n\r\n.Dots, \377 and no last line end");
    }

    private static Content content(String text) {
        byte[] content = bytes(text);
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

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
