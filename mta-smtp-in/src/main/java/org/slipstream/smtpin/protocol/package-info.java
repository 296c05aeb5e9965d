/// The rules of a session as a function: [ServerProtocol] takes a [SessionState] and a command and says what is answered, what the next state
/// is, and what somebody has to do ([ProtocolAction]). Pure: no socket, no clock; tables test it.
package org.slipstream.smtpin.protocol;
