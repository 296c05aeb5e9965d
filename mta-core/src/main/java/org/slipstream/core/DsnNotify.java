package org.slipstream.core;

/// When the sender wants to hear of a recipient (RFC 3461 section 4.1). `NEVER` stands alone; an empty set in a
/// [Recipient] means that nothing was said, which is treated as FAILURE and DELAY.
public enum DsnNotify {
    NEVER, SUCCESS, FAILURE, DELAY
}
