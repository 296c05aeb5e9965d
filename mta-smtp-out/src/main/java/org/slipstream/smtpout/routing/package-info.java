/// Routing as a stage of its own: which question goes to the name servers next, and on which thread.
package org.slipstream.smtpout.routing;
