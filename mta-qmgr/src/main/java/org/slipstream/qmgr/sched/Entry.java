package org.slipstream.qmgr.sched;

import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Recipients of one message for one destination, handed over as one unit.
///
/// Waiting entries are topped up while they have room; once taken, an entry does not change.
public final class Entry {
    final Message message;
    final Line line;
    final List<Recipient> recipients = new ArrayList<>(1);

    Entry(Message message, Line line) {
        this.message = message;
        this.line = line;
    }

    public Message message() {
        return message;
    }

    public Line line() {
        return line;
    }

    public List<Recipient> recipients() {
        return Collections.unmodifiableList(recipients);
    }
}
