/// The queue index: what is queued, for whom, since when, due when, with what outcome. Rows in H2 or PostgreSQL through JDBC.
///
/// Made of the records of the message log, and made again from them whenever it is lost. It holds no content, but names the place
/// where each one lies.
package org.slipstream.spool.index;
