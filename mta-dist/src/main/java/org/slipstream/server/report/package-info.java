/// Reports to senders: the fate of their message, for people and for programs (RFC 3464), with a
/// template of our own.
package org.slipstream.server.report;
