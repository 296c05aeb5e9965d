package org.slipstream.lab.journal;

import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.lab.RandomScenario;
import org.slipstream.lab.Scenario;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.file.JournalText;
import org.slipstream.qmgr.journal.file.JournalText.UnreadableRecordException;
import org.slipstream.qmgr.journal.file.ValueText;

import java.util.LinkedHashSet;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The text form of journal records.
class JournalTextTest {
    @Test
    void everyValueOfEveryRecordHasAForm() {
        ValueText.requireForm(JournalRecord.class, new LinkedHashSet<>());
    }

    @Test
    void theRecordsOfRandomWorldsAreReadAsTheyWereWritten() throws UnreadableRecordException {
        for (long seed = 1; seed <= 30; seed++) {
            Scenario scenario = RandomScenario.withHosts(seed);
            JournalRecord beginning = WorldJournal.beginning(scenario);
            assertThat(JournalText.read(JournalText.write(beginning))).isEqualTo(beginning);
            for (JournalRecord record : WorldJournal.run(scenario)) {
                String line = JournalText.write(record);
                assertThat(line).doesNotContain("\n");
                assertThat(JournalText.read(line)).as(line).isEqualTo(record);
            }
        }
    }

    @Test
    void aLineBeginsWithItsKind() {
        assertThat(JournalText.write(new JournalRecord.Pick(1_000, new QueueId(1L << 50), "smtp/far.example", 2)))
                .isEqualTo("""
                        {"record":"pick","at":1000,"queue":"10000000000","destination":"smtp/far.example",\
                        "recipients":2}""");
    }

    @Test
    void aDamagedLineIsNamedByItsDamage() {
        String good = JournalText.write(new JournalRecord.Wake(1, "smtp/a.example", List.of("a.example")));
        assertDamage(good.substring(0, good.length() - 4), "the line is cut off");
        assertDamage("", "the line is cut off");
        assertDamage("\0\0\0", "not JSON: ");
        assertDamage(good + "x", "not JSON: ");
        assertDamage(good + good, "text after the record");
        assertDamage(good.replace("wake", "walk"), "\"walk\" is no journal-record of this version");
        assertDamage(good.replace("domains", "names"), "wake has no field \"names\" in this version");
        assertDamage(good.replace("\"at\":1,", ""), "wake has no field \"at\" in the file");
        assertDamage(good.replace("\"at\":1", "\"at\":\"1\""), "not JSON: ");
        assertDamage("{\"at\":1}", "\"record\" is not the first field");
    }

    private static void assertDamage(String line, String words) {
        assertThatThrownBy(() -> JournalText.read(line)).isInstanceOf(UnreadableRecordException.class)
                .hasMessageStartingWith(words);
    }
}
