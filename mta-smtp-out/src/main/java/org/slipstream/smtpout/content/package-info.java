/// Letters that a peer cannot take as they are, made so that it can: 8-bit and binary parts of MIME messages get an encoding of 7-bit
/// lines. Streams in, streams out; nothing is kept in memory but the header of one part.
package org.slipstream.smtpout.content;
