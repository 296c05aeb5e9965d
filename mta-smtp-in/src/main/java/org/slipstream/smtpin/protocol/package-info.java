/// The rules of a session as a function: [ServerProtocol] takes a [SessionState] and a command, and
/// returns replies, the next state and a [ProtocolAction]. Pure: no socket, no clock, no services;
/// tables test it.
package org.slipstream.smtpin.protocol;
