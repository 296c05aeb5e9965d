package org.slipstream.events.bounce;

import org.slipstream.core.Reply;
import org.slipstream.core.ReplyPattern;

/// One line of a table of bounce classes.
///
/// @param example a reply that the rule is for
record BounceRule(BounceClass bounceClass, ReplyPattern pattern, String example) {
    /// @param text of the reply in lower case
    boolean fits(Reply reply, String text) {
        return pattern.fits(reply, text);
    }
}
