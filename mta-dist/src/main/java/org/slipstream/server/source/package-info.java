/// The sources of deliveries at work: the choice for each message, suspensions and warm-up with their file, and
/// orders of operators.
package org.slipstream.server.source;
