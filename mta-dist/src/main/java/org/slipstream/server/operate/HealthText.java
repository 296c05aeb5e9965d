package org.slipstream.server.operate;

import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.spool.Spool.Trouble;

import java.time.Instant;
import java.util.Locale;

/// The spool's failures as text for operators: the consequence for mail now, and the condition for
/// its end.
final class HealthText {
    private HealthText() {}

    static TroubleView of(Trouble trouble) {
        return new TroubleView(trouble.what().name().toLowerCase(Locale.ROOT),
                Instant.ofEpochMilli(trouble.sinceMillis()).toString(), meaning(trouble), trouble.reason());
    }

    private static String meaning(Trouble trouble) {
        String refused = "new mail is refused with " + (trouble.noSpace() ? "452" : "451");
        return switch (trouble.what()) {
            case INDEX ->
                "the queue index cannot be written (tried again twice a second); mail is accepted and delivered"
                        + " until the memory for unindexed messages is full, then new mail is refused with 451";
            case MAKING ->
                "none for mail; the queue index is being made from the message log, and lists and searches take longer"
                        + " until it is complete";
            case LOG -> refused + " until a message can be written to the disk again; each new message tries";
            case SPACE -> refused + " until the disk has more free space than spool.minimum-free";
            case INODES ->
                refused + " until a message can be written again (tried once a second); free inodes (`df -i`),"
                        + " or raise the quota";
            case STALL -> "new mail waits for the disk; clients that wait too long get 451";
            case CORRUPT ->
                "none for mail; damaged pieces in spool/corrupt/ are not counted, because it cannot be read";
            case COPIES -> "none for mail now; what was accepted can be lost with one machine (docs/cluster.md)";
        };
    }
}
