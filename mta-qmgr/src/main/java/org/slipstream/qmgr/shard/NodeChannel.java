package org.slipstream.qmgr.shard;

import org.slipstream.qmgr.shard.NodeReport.ItemFrame;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/// One end of a stream of items in both directions, over messages that may be lost, doubled, delayed and
/// reordered. Each item arrives once, and in its order.
///
/// Items are numbered from 1. A frame repeats those that the other side has not confirmed, so a lost frame
/// costs nothing but its time. An item that was heard before, or that would leave a gap, is passed over.
final class NodeChannel {
    /// A frame has at most this many items; the rest follows in the next.
    static final int MOST_IN_FRAME = 2_000;
    static final int MOST_UNHEARD = 100_000;

    private final Deque<NodeItem> unheard = new ArrayDeque<>();
    private long first = 1;
    private long heard;

    /// @return false when too many items wait: the other side does not confirm them, and the stream is of no use
    boolean send(NodeItem item) {
        if (unheard.size() >= MOST_UNHEARD) {
            return false;
        }
        unheard.add(item);
        return true;
    }

    /// The frame to send now.
    ItemFrame frame() {
        return new ItemFrame(first, heard, unheard.stream().limit(MOST_IN_FRAME).toList());
    }

    boolean isConfirmed() {
        return unheard.isEmpty();
    }

    /// @return the items of the frame that are new, in their order
    List<NodeItem> receive(ItemFrame frame) {
        for (Iterator<NodeItem> next = unheard.iterator(); first <= frame.heard() && next.hasNext(); first++) {
            next.next();
            next.remove();
        }
        List<NodeItem> news = new ArrayList<>();
        long number = frame.first();
        for (NodeItem item : frame.items()) {
            if (number++ == heard + 1) {
                heard++;
                news.add(item);
            }
        }
        return news;
    }
}
