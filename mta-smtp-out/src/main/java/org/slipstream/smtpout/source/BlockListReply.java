package org.slipstream.smtpout.source;

import org.slipstream.core.Reply;

import java.util.Locale;
import java.util.regex.Pattern;

/// Replies that say that the address of the client is on a list of addresses from which the host takes no mail.
///
/// Such a reply concerns the source and not the message, so another source may deliver it. The reading is
/// conservative: a wrong yes suspends a source for a day at a provider. The reply must name a list, and must
/// not speak of the content: lists of domains (`surbl`, `uribl`, `dbl`) are about links in the message, or about
/// the domain of its sender, and every source has the same answer.
public final class BlockListReply {
    private static final int MOST_CHARACTERS = 2_000;
    private static final Pattern LISTED = Pattern.compile("\\bblocked using\\b"
            + "|\\b(?:spamhaus|spamcop|sorbs|barracudacentral|dnsbl|rbl|dnsrbl)\\b"
            + "|\\bon (?:our|a|the|their|an internal) (?:block|black|deny) ?list\\b"
            + "|\\b(?:block|black|deny) ?listed\\b"
            + "|\\blisted (?:by|at|in|on) [a-z0-9-]+(?:\\.[a-z0-9-]+)+");
    private static final Pattern OF_CONTENT = Pattern.compile("\\b(?:uris?|urls?|links?|surbl|uribl|dbl|content|body"
            + "|attachment|(?:sender|from|helo|ehlo|envelope|header)[ -](?:address|domain|name)|recipient)\\b");

    private BlockListReply() {}

    public static boolean isOne(Reply reply) {
        String all = reply.text();
        String text = (all.length() > MOST_CHARACTERS ? all.substring(0, MOST_CHARACTERS) : all)
                .toLowerCase(Locale.ROOT);
        return (reply.isTransient() || reply.isPermanent()) && LISTED.matcher(text).find()
                && !OF_CONTENT.matcher(text).find();
    }
}
