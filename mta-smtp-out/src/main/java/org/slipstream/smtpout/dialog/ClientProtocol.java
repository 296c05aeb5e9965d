package org.slipstream.smtpout.dialog;

/// The protocol of a connection. The two differ in the greeting verb, and LMTP replies to the
/// content once per accepted recipient (RFC 2033 section 4.2).
public enum ClientProtocol {
    SMTP, LMTP
}
