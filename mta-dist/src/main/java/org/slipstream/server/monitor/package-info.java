/// The facts of the server for its metrics, its health and its alarms.
package org.slipstream.server.monitor;
