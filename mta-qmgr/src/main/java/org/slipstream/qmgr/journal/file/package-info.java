/// The files of the decision journal: their form, their writer, their reader, and the replay.
package org.slipstream.qmgr.journal.file;
