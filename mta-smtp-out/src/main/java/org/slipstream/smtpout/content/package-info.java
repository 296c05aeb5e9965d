/// Conversion of messages that a peer cannot take unchanged: 8-bit and binary parts of MIME
/// messages get an encoding in 7-bit lines. Streams in, streams out; only the header of one part is
/// kept in memory.
package org.slipstream.smtpout.content;
