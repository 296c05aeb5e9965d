/// Logging in to another server: the mechanisms of SASL (RFC 4422) that this client speaks, as
/// arithmetic without a socket.
package org.slipstream.smtpout.auth;
