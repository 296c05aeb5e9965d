package org.slipstream.events.suppression;

import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.order.SuppressionVerb.Cause;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SuppressionListTest {
    private static final Optional<Address> ANN = Optional.of(Address.of("ann@Shop.example"));
    private static final Optional<Address> EVE = Optional.of(Address.of("eve@other.example"));

    @TempDir
    Path folder;
    private SuppressionList list;

    private Path file() {
        return folder.resolve("list.mv.db");
    }

    @BeforeEach
    void open() throws IOException {
        list = SuppressionList.open(file());
    }

    @AfterEach
    void close() {
        list.close();
    }

    private static Suppression entry(String recipient, String from) {
        return new Suppression(recipient, from, Cause.MANUAL, "by phone", 0, Long.MAX_VALUE);
    }

    private boolean isSuppressed(Optional<Address> sender, String recipient) throws IOException {
        return list.of(sender, Address.of(recipient), 1_000).isPresent();
    }

    @Test
    void anAddressOrADomainForAllSendersOrForOne() throws Exception {
        list.add(List.of(entry("bob@far.example", ""), entry("ned@far.example", "shop.example"),
                entry("gone.example", ""), entry("half.example", "shop.example")));
        assertThat(isSuppressed(EVE, "Bob@FAR.example")).isTrue();
        assertThat(isSuppressed(EVE, "ned@far.example")).isFalse();
        assertThat(isSuppressed(ANN, "ned@far.example")).isTrue();
        assertThat(isSuppressed(EVE, "any@gone.example")).isTrue();
        assertThat(isSuppressed(EVE, "any@sub.gone.example")).isFalse();
        assertThat(isSuppressed(ANN, "any@half.example")).isTrue();
        assertThat(isSuppressed(EVE, "any@half.example")).isFalse();
        assertThat(isSuppressed(Optional.empty(), "bob@far.example")).as("a report").isFalse();
        assertThat(list.remove(List.of("ned@far.example"), "")).as("of another sender").isEmpty();
        assertThat(list.remove(List.of("ned@far.example"), "shop.example")).hasSize(1);
        assertThat(isSuppressed(ANN, "ned@far.example")).isFalse();
    }

    @Test
    void anEntryEndsAtItsTime() throws Exception {
        list.add(List.of(new Suppression("bob@far.example", "", Cause.COMPLAINT, "", 0, 1_000)));
        Address bob = Address.of("bob@far.example");
        assertThat(list.of(ANN, bob, 999)).isPresent();
        assertThat(list.page(Optional.empty(), "", 10, 999).entries()).hasSize(1);
        assertThat(list.page(Optional.empty(), "", 10, 1_000).entries()).isEmpty();
        assertThat(list.of(ANN, bob, 1_000)).isEmpty();
        assertThat(list.count()).as("a look-up removes it").isZero();
    }

    /// The file as it is after each order, without the orderly end of the program.
    @Test
    void anOrderIsOnDiskWhenItReturns() throws Exception {
        list.add(List.of(entry("bob@far.example", ""), entry("ned@far.example", "")));
        Path killed = Files.copy(file(), folder.resolve("killed-1"));
        list.remove(List.of("bob@far.example"), "");
        Path later = Files.copy(file(), folder.resolve("killed-2"));
        try (SuppressionList one = SuppressionList.open(killed); SuppressionList two = SuppressionList.open(later)) {
            assertThat(one.count()).isEqualTo(2);
            assertThat(two.page(Optional.empty(), "", 10, 0).entries()).containsExactly(entry("ned@far.example", ""));
        }
    }

    @Test
    void pagesCoverTheListOnceAndASearchFindsAllOfIt() throws Exception {
        List<Suppression> all = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            all.add(entry("user%04d@%s".formatted(i, i % 250 == 7 ? "rare.example" : "far.example"), ""));
        }
        list.add(all);
        assertThat(pages("", 7)).containsExactlyElementsOf(all);
        assertThat(pages("RARE", 1)).extracting(Suppression::recipient).containsExactly("user0007@rare.example",
                "user0257@rare.example", "user0507@rare.example", "user0757@rare.example");
    }

    private List<Suppression> pages(String text, int limit) throws IOException {
        List<Suppression> found = new ArrayList<>();
        Optional<String> after = Optional.empty();
        do {
            SuppressionList.SuppressionPage page = list.page(after, text, limit, 0);
            assertThat(page.entries()).hasSizeLessThanOrEqualTo(limit);
            found.addAll(page.entries());
            after = page.next();
        } while (after.isPresent());
        return found;
    }

    @Test
    void refusalsWithoutADeliveryBetweenThemSuppress() throws Exception {
        Address bob = Address.of("Bob@far.example");
        assertThat(list.refused(bob, "550 no", 2, 10, 500)).isEmpty();
        list.delivered(bob);
        assertThat(list.refused(bob, "550 no", 2, 20, 500)).isEmpty();
        assertThat(isSuppressed(ANN, "bob@far.example")).isFalse();
        assertThat(list.refused(bob, "550 no", 2, 30, 5_000)).contains(
                new Suppression("bob@far.example", "", Cause.HARD_BOUNCE, "550 no", 30, 5_000));
        assertThat(isSuppressed(ANN, "bob@far.example")).isTrue();
        assertThat(list.countsRefusals()).isFalse();
    }

    @Test
    void aRefusalDoesNotReplaceTheWordOfAnOperator() throws Exception {
        list.add(List.of(entry("bob@far.example", "")));
        assertThat(list.refused(Address.of("bob@far.example"), "550 no", 1, 10, 500)).isEmpty();
        assertThat(list.page(Optional.empty(), "", 1, 0).entries()).containsExactly(entry("bob@far.example", ""));
    }

    @Test
    void aDamagedFileIsSetAside() throws Exception {
        list.add(List.of(entry("bob@far.example", "")));
        list.close();
        byte[] octets = Files.readAllBytes(file());
        java.util.Arrays.fill(octets, (byte) 'x');
        Files.write(file(), octets);
        open();
        assertThat(list.count()).isZero();
        assertThat(folder.resolve("list.mv.db.damaged")).hasBinaryContent(octets);
    }

    /// Found by a world of mta-world: the power fails after the first start.
    @Test
    void aFileThatWasCutInItsHeaderIsSetAside() throws Exception {
        list.close();
        try (FileChannel cut = FileChannel.open(file(), StandardOpenOption.WRITE)) {
            cut.truncate(4_096);
        }
        open();
        assertThat(list.count()).isZero();
        assertThat(folder.resolve("list.mv.db.damaged")).hasSize(4_096);
    }

    @Test
    void theTextsOfAnEntryAreBoundedAndInOneLine() throws Exception {
        list.add(List.of(new Suppression("bob@far.example", "", Cause.MANUAL, "a\tb\r\nc" + "x".repeat(1_000), 0,
                Long.MAX_VALUE)));
        assertThat(list.page(Optional.empty(), "", 1, 0).entries()).singleElement().satisfies(each -> {
            assertThat(each.origin()).startsWith("a b cx").hasSize(Suppression.LONGEST_ORIGIN);
            assertThat(each.words()).startsWith("manual since 1970-01-01 (a b c");
        });
    }

    @Test
    void whatIsNeitherAnAddressNorADomainIsRefused() {
        assertThat(Suppression.recipientOf("Bob@Far.example")).contains("bob@far.example");
        assertThat(Suppression.recipientOf("@Far.example")).contains("far.example");
        assertThat(Suppression.recipientOf("Far.example")).contains("far.example");
        assertThat(Suppression.recipientOf("")).isEmpty();
        assertThat(Suppression.recipientOf("a b")).isEmpty();
        assertThat(Suppression.recipientOf("bob@")).isEmpty();
    }

    /// H2 closes a store that it could not write.
    @Test
    void aStoreThatFailedIsOpenedAgainAndNotMoreOftenThanEveryTenSeconds() throws Exception {
        List<MVStore> opened = new ArrayList<>();
        AtomicLong now = new AtomicLong(1);
        try (SuppressionList failing = new SuppressionList(() -> {
            opened.add(MVStore.open(folder.resolve("failing.mv.db").toString()));
            return opened.getLast();
        }, now::get)) {
            failing.add(List.of(entry("bob@far.example", "")));
            opened.getLast().closeImmediately();
            assertThat(failing.of(ANN, Address.of("bob@far.example"), 1)).isPresent();
            failing.add(List.of(entry("cid@far.example", "")));
            assertThat(opened).hasSize(2);

            opened.getLast().closeImmediately();
            List<Suppression> dan = List.of(entry("dan@far.example", ""));
            assertThatThrownBy(() -> failing.add(dan)).isInstanceOf(IOException.class);
            assertThat(opened).hasSize(2);
            now.addAndGet(TimeUnit.SECONDS.toNanos(10));
            failing.add(dan);
            assertThat(failing.count()).isEqualTo(3);
        }
    }

    @Test
    void anEntryOfANewerProgramIsAReasonNevertheless() {
        assertThat(Suppression.of("bob@far.example/", "moon\t0\t9\tfull").words()).isEqualTo(
                "manual since 1970-01-01 (full)");
    }
}
