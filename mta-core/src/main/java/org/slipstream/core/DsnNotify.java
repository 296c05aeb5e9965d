package org.slipstream.core;

/// The NOTIFY parameter of RCPT: the events that the sender requests reports for (RFC 3461 section
/// 4.1). `NEVER` stands alone; an empty set in a [Recipient] means that the parameter was absent,
/// which equals FAILURE and DELAY.
public enum DsnNotify {
    NEVER, SUCCESS, FAILURE, DELAY
}
