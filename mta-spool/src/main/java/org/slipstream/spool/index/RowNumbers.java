package org.slipstream.spool.index;

/// A map from ids to row numbers, open addressing with linear probing: 12 octets and half as many free ones for each
/// entry.
final class RowNumbers {
    static final int NONE = -1;
    private static final long FREE = 0;

    private long[] keys = new long[128];
    private int[] rows = new int[128];
    private int used;

    int get(long id) {
        int at = find(id);
        return keys[at] == id ? rows[at] : NONE;
    }

    void put(long id, int row) {
        int at = find(id);
        if (keys[at] == FREE) {
            keys[at] = id;
            used++;
        }
        rows[at] = row;
        if (used > keys.length / 3 * 2) {
            grow();
        }
    }

    void remove(long id) {
        int gap = find(id);
        if (keys[gap] != id) {
            return;
        }
        used--;
        // Entries behind the gap that are not at home move forward, so that no search ends too early.
        for (int at = after(gap); keys[at] != FREE; at = after(at)) {
            int home = home(keys[at]);
            boolean stays = gap <= at ? gap < home && home <= at : gap < home || home <= at;
            if (!stays) {
                keys[gap] = keys[at];
                rows[gap] = rows[at];
                gap = at;
            }
        }
        keys[gap] = FREE;
    }

    /// Where the id is, or where it would be put.
    private int find(long id) {
        int at = home(id);
        while (keys[at] != FREE && keys[at] != id) {
            at = after(at);
        }
        return at;
    }

    private int after(int at) {
        return at + 1 & keys.length - 1;
    }

    private int home(long id) {
        // Ids are times with a shard in the low bits.
        long mixed = id * 0x9e3779b97f4a7c15L;
        return (int) (mixed >>> 33) & keys.length - 1;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldRows = rows;
        keys = new long[oldKeys.length * 2];
        rows = new int[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != FREE) {
                int at = find(oldKeys[i]);
                keys[at] = oldKeys[i];
                rows[at] = oldRows[i];
            }
        }
    }
}
