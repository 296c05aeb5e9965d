package org.slipstream.local.maildrop;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The order in which files of the maildrop are stored: their owners take turns. The files of one
/// user, however many they are, do not keep the mail of another user waiting.
///
/// Of each owner the files that did not fail before come first, and among these the oldest.
///
/// **Bounds.** A folder may have a million names of 255 octets, so at most [#MOST_FILES] are kept,
/// and [#MOST_OF_ONE] of each owner. After that each owner still gets [#ALWAYS]. The next listing
/// has the others.
///
/// **Rounds.** A new file waits for the end of a round. So a round has [#MOST_OF_A_ROUND] files, or
/// one of each owner when there are more owners.
public final class OwnerTurns {
    static final int MOST_FILES = 20_000;
    static final int MOST_OF_ONE = 1_000;
    static final int ALWAYS = 10;
    private static final int MOST_OWNERS = 1_000;
    static final int MOST_OF_A_ROUND = 100;

    private final Map<Integer, List<DropFile>> owners = new LinkedHashMap<>();
    private int files;

    /// A regular file of the maildrop.
    ///
    /// @param owner its user id
    public record DropFile(String name, int owner, long modifiedMillis) {}

    /// @return false when the file has to wait for another listing
    boolean add(DropFile file) {
        List<DropFile> own = owners.get(file.owner());
        if (own == null) {
            if (owners.size() == MOST_OWNERS) {
                return false;
            }
            own = new ArrayList<>();
            owners.put(file.owner(), own);
        }
        if (own.size() >= (files < MOST_FILES ? MOST_OF_ONE : ALWAYS)) {
            return false;
        }
        own.add(file);
        files++;
        return true;
    }

    /// The next round.
    ///
    /// @param failed names of files that could not be stored before
    List<DropFile> inTurns(Set<String> failed) {
        Comparator<DropFile> order = Comparator.comparing((DropFile file) -> failed.contains(file.name()))
                .thenComparingLong(DropFile::modifiedMillis).thenComparing(DropFile::name);
        owners.values().forEach(own -> own.sort(order));
        int most = Math.min(files, Math.max(MOST_OF_A_ROUND, owners.size()));
        List<DropFile> turns = new ArrayList<>(most);
        for (int turn = 0; turns.size() < most; turn++) {
            for (List<DropFile> own : owners.values()) {
                if (turn < own.size() && turns.size() < most) {
                    turns.add(own.get(turn));
                }
            }
        }
        return turns;
    }
}
