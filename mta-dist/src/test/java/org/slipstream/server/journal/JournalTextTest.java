package org.slipstream.server.journal;

import org.junit.jupiter.api.Test;
import org.slipstream.qmgr.journal.JournalRecord;

import java.util.LinkedHashSet;

/// The text form of journal records.
class JournalTextTest {
    @Test
    void everyValueOfEveryRecordHasAForm() {
        ValueText.requireForm(JournalRecord.class, new LinkedHashSet<>());
    }
}
