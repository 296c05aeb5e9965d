package org.slipstream.cli.queue;

import org.slipstream.admin.operations.Operations.RecipientView;
import org.slipstream.guard.preflight.KnownReplies;

import java.util.List;

/// Lines about replies of large providers that the recipients of a message got.
final class ReplyMeanings {
    private ReplyMeanings() {}

    static List<String> of(List<RecipientView> recipients) {
        return recipients.stream().map(RecipientView::lastReply).distinct()
                .flatMap(reply -> KnownReplies.of(reply).stream()).distinct()
                .map(KnownReplies.KnownReply::text).toList();
    }
}
