/// ARC (RFC 8617): the chain of servers that have handled a message and noted its verdicts. It is
/// judged here, and never made. The signatures are those of [org.slipstream.auth.dkim].
package org.slipstream.auth.arc;
