package org.slipstream.spool.index;

import org.slipstream.spool.index.UnusableIndexException.Why;

import java.io.EOFException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Distinguishes an index whose file is damaged from one that cannot be opened or read for another
/// reason.
///
/// A damaged index is set aside and made again from the log, which takes time and loses nothing. A
/// full disk, missing rights or a closed database is not a fault of the file, and the next start
/// may succeed. The most significant cause in the chain of causes decides; the rows are in order of
/// significance:
///
/// | What | Means |
/// | Cause | Result |
/// | an `IOException` that is not the end of the file; an interrupt; no memory; the store could not write (2) or is locked (7) | failure |
/// | an end of file where more is promised; a schema that is half made; error 90030; the store's 6, 8, 9, 50, 100, 106 | damage |
/// | the store is closed (4; errors 90098, 90121), in use (90020) or of a newer H2 (5), or its entry is locked (101) | failure |
/// | a lock that another session has (40001, 50200, 90131); a cancelled statement (57014) | failure |
/// | anything else that H2 runs into | suspicion: it decodes pages and catalogues that it wrote itself |
///
/// A start takes a suspicion for damage, because the same failure would end the next start. A running
/// server asks a fresh connection first; a lock that several fresh connections meet is damage as well.
///
/// Codes are those of `DataUtils` and `ErrorCode` in H2 2.4.240; H2's store writes its code at the
/// end of the message.
public final class IndexDamage {
    private static final Pattern STORE_CODE = Pattern.compile("\\[[0-9.]+/([0-9]+)\\]$");

    private static final int GENERAL_ERROR = 50000;
    private static final Set<Integer> LOCKS = Set.of(40001, 50200, 90131);

    private enum Cause {
        FAILURE, DAMAGE, UNAVAILABLE, WRAPPER
    }

    private IndexDamage() {}

    /// True for damage and for a suspicion of it.
    ///
    /// @param failure of opening the index, or of reading it
    public static boolean isBehind(Throwable failure) {
        Cause decisive = decisive(failure);
        return decisive == Cause.DAMAGE
                || decisive == Cause.WRAPPER && chain(failure).stream().anyMatch(IndexDamage::isOfH2);
    }

    /// True for damage, and false for a suspicion of it.
    public static boolean isCertain(Throwable failure) {
        return decisive(failure) == Cause.DAMAGE;
    }

    /// True when a lock of another session is in the way. H2 also finds locks of sessions that never were,
    /// in damaged pages.
    public static boolean isLock(Throwable failure) {
        return chain(failure).stream()
                .anyMatch(each -> each instanceof SQLException sql && LOCKS.contains(sql.getErrorCode()));
    }

    private static Cause decisive(Throwable failure) {
        return chain(failure).stream().map(IndexDamage::causeOf).min(Cause::compareTo).orElse(Cause.WRAPPER);
    }

    private static boolean isOfH2(Throwable each) {
        return each.getClass().getName().startsWith("org.h2.")
                || each instanceof SQLException sql && sql.getErrorCode() == GENERAL_ERROR;
    }

    private static List<Throwable> chain(Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        for (Throwable each = failure; each != null && !chain.contains(each); each = each.getCause()) {
            chain.add(each);
        }
        return chain;
    }

    private static Cause causeOf(Throwable each) {
        return switch (each) {
            case UnusableIndexException unusable when unusable.why() == Why.DAMAGED -> Cause.DAMAGE;
            case EOFException _ -> Cause.DAMAGE;
            // Wrappers; their causes decide.
            case IndexException _,DamagedRowsException _ -> Cause.WRAPPER;
            case IOException _,InterruptedException _,VirtualMachineError _ -> Cause.FAILURE;
            case SQLException sql -> switch (sql.getErrorCode()) {
                case 90030 -> Cause.DAMAGE;
                case 40001, 50200, 57014, 90020, 90098, 90121, 90131 -> Cause.UNAVAILABLE;
                default -> Cause.WRAPPER;
            };
            default -> ofStore(String.valueOf(each.getMessage()).strip());
        };
    }

    private static Cause ofStore(String message) {
        Matcher code = STORE_CODE.matcher(message);
        return switch (code.find() ? code.group(1) : "") {
            case "2", "7" -> Cause.FAILURE;
            case "6", "8", "9", "50", "100", "106" -> Cause.DAMAGE;
            case "4", "5", "101" -> Cause.UNAVAILABLE;
            default -> Cause.WRAPPER;
        };
    }
}
