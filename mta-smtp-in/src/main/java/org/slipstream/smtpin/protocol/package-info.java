/// The rules of a session as a function: [Protocol] takes a [State] and a command and says what is answered, what the next state
/// is, and what somebody has to do ([Action]). Pure: no socket, no clock, no house; tables test it.
package org.slipstream.smtpin.protocol;
