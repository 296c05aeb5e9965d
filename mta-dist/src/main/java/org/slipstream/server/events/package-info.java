/// The event stream of this server: from the message log to programs.
package org.slipstream.server.events;
