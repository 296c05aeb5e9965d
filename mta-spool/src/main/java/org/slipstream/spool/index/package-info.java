/// The queue index: which messages are queued, for which recipients, since when, due when, with
/// what outcome. Rows in H2 or PostgreSQL through JDBC.
///
/// It is made from the records of the message log, and made again from them when it is lost. It
/// holds no content but the place of each content in the log.
package org.slipstream.spool.index;
