package org.slipstream.server.maildrop;

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
final class OwnerTurns {
    static final int MOST_FILES = 20_000;
    static final int MOST_OF_ONE = 1_000;
    static final int ALWAYS = 10;
    private static final int MOST_OWNERS = 1_000;

    private final Map<Integer, List<DropFile>> owners = new LinkedHashMap<>();
    private int files;

    /// A regular file of the maildrop.
    ///
    /// @param owner its user id
    record DropFile(String name, int owner, long modifiedMillis) {}

    void add(DropFile file) {
        List<DropFile> own = owners.get(file.owner());
        if (own == null) {
            if (owners.size() == MOST_OWNERS) {
                return;
            }
            own = new ArrayList<>();
            owners.put(file.owner(), own);
        }
        if (own.size() < (files < MOST_FILES ? MOST_OF_ONE : ALWAYS)) {
            own.add(file);
            files++;
        }
    }

    /// @param failed names of files that could not be stored before
    List<DropFile> inTurns(Set<String> failed) {
        Comparator<DropFile> order = Comparator.comparing((DropFile file) -> failed.contains(file.name()))
                .thenComparingLong(DropFile::modifiedMillis).thenComparing(DropFile::name);
        owners.values().forEach(own -> own.sort(order));
        List<DropFile> turns = new ArrayList<>(files);
        for (int round = 0; turns.size() < files; round++) {
            for (List<DropFile> own : owners.values()) {
                if (round < own.size()) {
                    turns.add(own.get(round));
                }
            }
        }
        return turns;
    }
}
