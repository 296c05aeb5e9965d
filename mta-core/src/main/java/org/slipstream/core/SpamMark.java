package org.slipstream.core;

/// The field of a message that a check holds for spam. A mailbox sorts by it, here or behind another
/// server, as filters and mail programs know it.
public final class SpamMark {
    public static final String FIELD = "X-Spam";
    public static final String VALUE = "Yes";

    private SpamMark() {}
}
