/// Commands of the laboratory and of the sink; the queue of a server in simulated time.
package org.slipstream.cli.lab;
