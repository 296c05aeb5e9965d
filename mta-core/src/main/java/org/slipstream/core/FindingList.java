package org.slipstream.core;

import org.slipstream.core.CheckFinding.Level;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Collects the results of one check, in their order.
public final class FindingList {
    private final List<CheckFinding> all = new ArrayList<>();

    public void ok(String subject, String text) {
        add(subject, Level.OK, text, Optional.empty());
    }

    public void lacks(String subject, String text) {
        add(subject, Level.LACKS, text, Optional.empty());
    }

    public void lacks(String subject, String text, String record) {
        add(subject, Level.LACKS, text, Optional.of(record));
    }

    public void advice(String subject, String text) {
        add(subject, Level.ADVICE, text, Optional.empty());
    }

    public void advice(String subject, String text, String record) {
        add(subject, Level.ADVICE, text, Optional.of(record));
    }

    public void unknown(String subject, String text) {
        add(subject, Level.UNKNOWN, text, Optional.empty());
    }

    public void noAnswer(String subject, String text) {
        add(subject, Level.NO_ANSWER, text, Optional.empty());
    }

    /// DNS has no answer.
    public void silent(String subject, String name, String reason) {
        noAnswer(subject, "DNS does not answer about " + name + ": " + reason);
    }

    public List<CheckFinding> all() {
        return List.copyOf(all);
    }

    private void add(String subject, Level level, String text, Optional<String> record) {
        all.add(new CheckFinding(subject, level, text, record));
    }
}
