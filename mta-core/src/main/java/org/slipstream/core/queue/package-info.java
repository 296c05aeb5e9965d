/// What the queue says about a message: its phase, its outcomes, its instructions.
package org.slipstream.core.queue;
