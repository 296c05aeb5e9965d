package org.slipstream.spool.register;

import com.zaxxer.hikari.pool.HikariPool;
import org.slipstream.spool.register.UnusableRegisterException.Why;

import java.io.EOFException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Tells a register whose file is damaged from one that cannot be opened or read for another reason.
///
/// The difference matters: a damaged register is set aside and made anew from the box, and with it go replies and what was known of
/// the next attempts. A full disk, a folder without rights, a database that was closed under us are none of its file's fault, and
/// the next start may find everything in order. So damage is only what H2 itself says of its file, and anything in the chain
/// of causes that explains the failure without it wins.
///
/// | Says | What it is |
/// |---|---|
/// | trouble | an `IOException` that is not the end of the file; an interrupt; no memory; the store could not write (2) or is locked (7) |
/// | damage, for certain | error 90030 (file corrupted); the store's 6 (file corrupt), 8 (cannot deserialize), 9 (chunk not found), 50 (block not found), 100 (transaction log), 106 (unknown data type); an end of file where more is promised, which is how a file looks that was being made when its process was killed; a statement in H2's own catalogue that is no SQL any more; a schema that is half made |
/// | closed | the store's 4, errors 90098 and 90121: says nothing of why |
/// | damage, perhaps | the store's 3 (internal) or error 50000 (general), when what lies at the bottom is a failed assertion or an exception of somebody who decodes pages: an index out of bounds, an illegal state |
///
/// The first of them that is met anywhere in the chain decides, in this order. Not among them: the store's 5, a format of a newer
/// H2. That register is somebody's, and whole. (Codes are those of `DataUtils` and `ErrorCode` in H2 2.4.240; H2's store
/// writes its code at the end of the message.)
public final class RegisterDamage {
    private static final Pattern STORE_CODE = Pattern.compile("\\[[0-9.]+/([0-9]+)\\]$");
    private static final int GENERAL_ERROR = 50000;

    private enum Says {
        TROUBLE, DAMAGE, CLOSED, PERHAPS, NOTHING
    }

    private RegisterDamage() {}

    /// @param failure of opening the register, or of reading it at a start
    public static boolean isBehind(Throwable failure) {
        List<Throwable> chain = chain(failure);
        Says verdict = Says.NOTHING;
        for (Throwable each : chain) {
            Says says = says(each, chain);
            verdict = says.compareTo(verdict) < 0 ? says : verdict;
        }
        return verdict == Says.DAMAGE || verdict == Says.PERHAPS && isDecoding(chain.getLast());
    }

    private static List<Throwable> chain(Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        for (Throwable each = failure; each != null && !chain.contains(each); each = each.getCause()) {
            chain.add(each);
        }
        return chain;
    }

    private static Says says(Throwable each, List<Throwable> chain) {
        return switch (each) {
            case UnusableRegisterException unusable when unusable.why() == Why.DAMAGED -> Says.DAMAGE;
            case EOFException _ -> Says.DAMAGE;
            // They only carry what a database or a row said.
            case RegisterException _,DamagedRowsException _ -> Says.NOTHING;
            case IOException _,InterruptedException _,VirtualMachineError _ -> Says.TROUBLE;
            case SQLException sql -> says(sql, chain);
            default -> ofStore(each);
        };
    }

    private static Says says(SQLException sql, List<Throwable> chain) {
        return switch (sql.getErrorCode()) {
            case 90030 -> Says.DAMAGE;
            case 90098, 90121 -> Says.CLOSED;
            case GENERAL_ERROR -> Says.PERHAPS;
            default -> isBrokenCatalogue(sql, chain) ? Says.DAMAGE : Says.NOTHING;
        };
    }

    /// H2 keeps the statements that made its tables and executes them when it opens; none of ours has been sent by then.
    private static boolean isBrokenCatalogue(SQLException sql, List<Throwable> chain) {
        return sql.getClass().getName().startsWith("org.h2.") && String.valueOf(sql.getSQLState()).startsWith("42")
                && chain.stream().anyMatch(HikariPool.PoolInitializationException.class::isInstance);
    }

    private static Says ofStore(Throwable each) {
        Matcher code = STORE_CODE.matcher(String.valueOf(each.getMessage()).strip());
        if (!code.find()) {
            return Says.NOTHING;
        }
        return switch (code.group(1)) {
            case "2", "7" -> Says.TROUBLE;
            case "6", "8", "9", "50", "100", "106" -> Says.DAMAGE;
            case "4" -> Says.CLOSED;
            case "3" -> Says.PERHAPS;
            default -> Says.NOTHING;
        };
    }

    /// What somebody throws who meets bytes that he has not written. H2's own assertions are plain runtime exceptions.
    private static boolean isDecoding(Throwable root) {
        return root.getClass() == RuntimeException.class || root instanceof AssertionError
                || root instanceof IllegalStateException || root instanceof IllegalArgumentException
                || root instanceof IndexOutOfBoundsException || root instanceof NullPointerException
                || root instanceof ClassCastException || root instanceof NegativeArraySizeException
                || root instanceof BufferUnderflowException || ofStore(root) == Says.PERHAPS;
    }
}
