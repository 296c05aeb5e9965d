/// The terms of the queue about a message: its phase, its outcomes, its instructions.
package org.slipstream.core.queue;
