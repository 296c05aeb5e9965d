package org.slipstream.smtpout.dialog;

/// Which of the two protocols is spoken. They differ in the greeting verb, and in that LMTP answers the content once per
/// accepted recipient (RFC 2033 section 4.2).
public enum ClientProtocol {
    SMTP, LMTP
}
