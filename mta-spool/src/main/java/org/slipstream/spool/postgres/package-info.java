/// The message log in PostgreSQL: the database that several machines share, and a [org.slipstream.spool.log.LogStore]
/// whose octets lie in its tables.
package org.slipstream.spool.postgres;
