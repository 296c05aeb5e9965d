/// The placement in this server: its rules, what operators see and do, and what is remembered over a restart.
package org.slipstream.server.hosts;
