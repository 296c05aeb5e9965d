/// The placement in this server: its rules, operators' views and orders, and what is kept over a
/// restart.
package org.slipstream.server.hosts;
