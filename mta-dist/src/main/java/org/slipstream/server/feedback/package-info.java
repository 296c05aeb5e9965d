/// Traces on mail that leaves, and what comes back by them.
package org.slipstream.server.feedback;
