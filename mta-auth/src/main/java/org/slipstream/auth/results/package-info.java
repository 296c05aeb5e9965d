/// The header field Authentication-Results (RFC 8601), which tells readers behind this server what
/// it found out about a sender.
package org.slipstream.auth.results;
