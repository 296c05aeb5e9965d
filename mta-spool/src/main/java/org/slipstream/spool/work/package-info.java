/// A spool at work: the thread that writes the log, the one that applies it to the index, the part of the
/// log that is not applied yet, and the cleaner.
package org.slipstream.spool.work;
