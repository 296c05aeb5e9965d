/// Delivery to programs of this machine: the transports of the kind `pipe`.
package org.slipstream.local.program;
