/// Runs of the queue manager as operators ask for them: those of the journal, and simulated ones.
package org.slipstream.server.film;
