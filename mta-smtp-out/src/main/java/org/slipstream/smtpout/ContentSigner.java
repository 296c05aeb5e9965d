package org.slipstream.smtpout;

import org.slipstream.auth.dkim.KeyFailedException;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.queue.Delivery;

import java.io.IOException;

/// Makes the fields that a message gets at its top when it leaves by SMTP: its signatures, and what they cover of this
/// server's own. Signatures cover the octets on the wire, so they are made after each conversion.
@FunctionalInterface
public interface ContentSigner {
    /// Nothing is signed.
    ContentSigner NONE = (_, _, _, _) -> new byte[0];

    /// May wait, on the thread of a connection.
    ///
    /// @param delivery of the message
    /// @param form the same for equal octets of one message
    /// @param onWire as it will be sent, before dots are stuffed
    /// @return whole lines of ASCII; empty for none
    /// @throws KeyFailedException when a key fails; the message must wait
    /// @throws IOException when its content cannot be read; the message must wait
    byte[] fields(Delivery delivery, Envelope envelope, String form, Content onWire) throws IOException;
}
