/// The decision journal: the records of what a queue manager was told and what it decided
/// (docs/journal.md). Files and threads are the server's part.
package org.slipstream.qmgr.journal;
