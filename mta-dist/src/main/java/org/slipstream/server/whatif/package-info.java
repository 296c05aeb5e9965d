/// Runs the present queue of a server through other settings, in simulated time.
package org.slipstream.server.whatif;
