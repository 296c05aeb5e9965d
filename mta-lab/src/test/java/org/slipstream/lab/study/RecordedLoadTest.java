package org.slipstream.lab.study;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class RecordedLoadTest {
    private static RecordedLoad of(List<SimulatedMail> mails) {
        return RecordedLoad.of(new Scenario(1, QmgrConfig.defaults(), true, mails, List.of(),
                new OwnServer(1, 1, 20, 0, 0), List.of(), List.of(), PlaceRules.defaults()), List.of());
    }

    private static SimulatedMail mail(long id, long atMillis, int first, int second) {
        List<SimulatedRecipient> recipients = new ArrayList<>();
        IntStream.range(0, first + second).forEach(i -> recipients.add(new SimulatedRecipient(
                Address.of("r" + i + (i < first ? "@secret.example" : "@b.example")), new ReplyScript.Welcome())));
        return new SimulatedMail(new QueueId(id), atMillis, Address.parse("a@here.example"), recipients);
    }

    @Test
    void recipientsAtADestinationShareEntriesAndDestinationsHaveNoNames() {
        RecordedLoad load = of(List.of(mail(1, 5_000, 50, 1), mail(2, 9_000, 51, 0)));

        assertThat(load.text()).isEqualTo("0 d1=1 d2=1\n4000 d1=2\n");
        assertThat(load).hasToString("2 messages with 4 entries, the largest with 2");
        assertThat(load.entryMillis()).as("three quarters of 4 s, by four").isEqualTo(750);
        assertThat(load.toml()).contains("delivery = \"750ms\"", "to = { \"d1.example\" = 1, \"d2.example\" = 1 }")
                .doesNotContain("secret");
    }

    @Test
    void aLoadIsReadAsItWasWritten() {
        String text = of(List.of(mail(1, 0, 3, 60), mail(2, 700, 0, 1))).text();

        assertThat(RecordedLoad.of("# a comment\n" + text).text()).isEqualTo(text);
    }

    @Test
    void aLargeRecordingIsUsedUpToItsLimitAndThatIsTold() {
        List<SimulatedMail> mails = new ArrayList<>();
        IntStream.rangeClosed(1, RecordedLoad.MOST_MESSAGES).forEach(id -> mails.add(mail(id, id, 1, 0)));
        assertThat(of(mails).remarks()).isEmpty();

        mails.add(mail(RecordedLoad.MOST_MESSAGES + 1, 9_000, 1, 0));
        assertThat(of(mails)).hasToString("5000 messages with 5000 entries, the largest with 1");
        assertThat(of(mails).remarks()).singleElement().asString().startsWith("Only the first 5000 of 5001 messages");
    }

    @Test
    void aRecordingOfLargeMailingsIsUsedUpToItsEntries() {
        List<SimulatedMail> most = List.of(mailing(1, 40_000), mailing(2, RecordedLoad.MOST_ENTRIES - 40_000));
        assertThat(of(most).remarks()).isEmpty();

        List<SimulatedMail> more = List.of(most.getFirst(), most.getLast(), mail(3, 3, 1, 0));
        assertThat(of(more)).hasToString("2 messages with 50000 entries, the largest with 40000");
        assertThat(of(more).remarks()).hasSize(1);
    }

    private static SimulatedMail mailing(long id, int destinations) {
        return new SimulatedMail(new QueueId(id), id, Address.parse("a@here.example"),
                IntStream.range(0, destinations)
                        .mapToObj(i -> new SimulatedRecipient(Address.of("r@d" + i + ".example"),
                                new ReplyScript.Welcome()))
                        .toList());
    }
}
