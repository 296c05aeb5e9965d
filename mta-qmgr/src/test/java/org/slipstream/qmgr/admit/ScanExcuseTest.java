package org.slipstream.qmgr.admit;

import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;

import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Finds of a scan that are excused, see [UnannouncedMail].
class ScanExcuseTest {
    private static MessageSummary createdAt(long millis) {
        return new MessageSummary(new QueueId(millis << 20), Optional.empty(), millis, 1, 1, 1, 0, 0, false, false);
    }

    @Test
    void aScanThatLeavesMailBehindDoesNotEndTheExcuse() {
        UnannouncedMail mail = new UnannouncedMail();
        mail.scanBegins(0);
        mail.scanned(true);
        mail.found(createdAt(1), 1);
        assertThat(mail.nextMillis()).isEqualTo(Long.MAX_VALUE);
        mail.scanBegins(2);
        mail.scanned(false);
        mail.found(createdAt(3), 3);
        assertThat(mail.nextMillis()).isEqualTo(3 + UnannouncedMail.GRACE_MILLIS);
    }
}
