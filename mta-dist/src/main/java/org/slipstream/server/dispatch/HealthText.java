package org.slipstream.server.dispatch;

import org.slipstream.admin.Operations.TroubleView;
import org.slipstream.spool.Spool.Trouble;

import java.time.Instant;
import java.util.Locale;

/// The spool's troubles as an operator reads them: what becomes of mail now, and what has to happen for it to end.
final class HealthText {
    private HealthText() {}

    static TroubleView of(Trouble trouble) {
        return new TroubleView(trouble.what().name().toLowerCase(Locale.ROOT),
                Instant.ofEpochMilli(trouble.sinceMillis()).toString(), meaning(trouble), trouble.reason());
    }

    private static String meaning(Trouble trouble) {
        String refused = "new mail is refused with " + (trouble.noSpace() ? "452" : "451");
        return switch (trouble.what()) {
            case INDEX -> "the queue index cannot be written, which is tried again twice a second; mail is taken in and"
                    + " delivered as long as there is room for what the index lacks, then new mail is refused with 451";
            case LOG -> refused + " until a message can be written to the disk again, which each new one tries";
            case SPACE -> refused + " until more than spool.minimum-free is free on the disk";
            case INODES ->
                refused + " until one can be written again, which is tried once a second; free inodes (`df -i`),"
                        + " or raise the quota";
            case STALL -> "new mail waits for the disk; whoever has waited for long hears 451";
        };
    }
}
