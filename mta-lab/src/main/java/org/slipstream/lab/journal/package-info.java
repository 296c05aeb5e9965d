/// Repeats a run of the queue manager from its decision journal.
package org.slipstream.lab.journal;
