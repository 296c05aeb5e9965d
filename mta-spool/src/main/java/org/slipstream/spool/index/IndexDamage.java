package org.slipstream.spool.index;

import org.slipstream.spool.index.UnusableIndexException.Why;

import java.io.EOFException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Tells an index whose file is damaged from one that cannot be opened or read for another reason.
///
/// A damaged index is set aside and made again from the log, which takes time and loses nothing. A full disk, a folder without rights, a
/// database that was closed under us are none of its file's fault, and the next start may find everything in order. The first of
/// these that is met anywhere in the chain of causes decides:
///
/// | What | Means |
/// |---|---|
/// | an `IOException` that is not the end of the file; an interrupt; no memory; the store could not write (2) or is locked (7) | trouble |
/// | an end of file where more is promised; a schema that is half made; error 90030; the store's 6, 8, 9, 50, 100, 106 | damage |
/// | the store is closed (4; errors 90098, 90121), in use (90020) or of a newer H2 (5), or its entry is locked (101) | trouble |
/// | anything else that H2 runs into | damage: it decodes pages and catalogues that it wrote itself |
///
/// Codes are those of `DataUtils` and `ErrorCode` in H2 2.4.240; H2's store writes its code at the end of the message.
public final class IndexDamage {
    private static final Pattern STORE_CODE = Pattern.compile("\\[[0-9.]+/([0-9]+)\\]$");

    private static final int GENERAL_ERROR = 50000;

    private enum Says {
        TROUBLE, DAMAGE, UNAVAILABLE, NOTHING
    }

    private IndexDamage() {}

    /// @param failure of opening the index, or of reading it at a start
    public static boolean isBehind(Throwable failure) {
        List<Throwable> chain = chain(failure);
        Says verdict = chain.stream().map(IndexDamage::says).min(Says::compareTo).orElse(Says.NOTHING);
        return verdict == Says.DAMAGE || verdict == Says.NOTHING
                && chain.stream().anyMatch(IndexDamage::isOfH2);
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

    private static Says says(Throwable each) {
        return switch (each) {
            case UnusableIndexException unusable when unusable.why() == Why.DAMAGED -> Says.DAMAGE;
            case EOFException _ -> Says.DAMAGE;
            // They only carry what a database or a row said.
            case IndexException _,DamagedRowsException _ -> Says.NOTHING;
            case IOException _,InterruptedException _,VirtualMachineError _ -> Says.TROUBLE;
            case SQLException sql -> switch (sql.getErrorCode()) {
                case 90030 -> Says.DAMAGE;
                case 90020, 90098, 90121 -> Says.UNAVAILABLE;
                default -> Says.NOTHING;
            };
            default -> ofStore(String.valueOf(each.getMessage()).strip());
        };
    }

    private static Says ofStore(String message) {
        Matcher code = STORE_CODE.matcher(message);
        return switch (code.find() ? code.group(1) : "") {
            case "2", "7" -> Says.TROUBLE;
            case "6", "8", "9", "50", "100", "106" -> Says.DAMAGE;
            case "4", "5", "101" -> Says.UNAVAILABLE;
            default -> Says.NOTHING;
        };
    }
}
