package org.slipstream.smtpin;

import org.slipstream.core.Reply;
import org.slipstream.core.text.Controls;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.command.Parameter;
import org.slipstream.smtpin.proxy.ProxyHeader;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// The client's identity as a third party states it: a proxy in its PROXY header, or an authorized
/// host by XCLIENT. Stateless.
final class ClientIdentity {
    /// The result of reading an XCLIENT command. An attribute that is not given leaves its value
    /// unchanged; `[UNAVAILABLE]` and `[TEMPUNAVAIL]` make it unknown.
    sealed interface Impersonation {
        /// @param address empty when not given
        /// @param helo empty when unknown
        /// @param login empty when the client is not authenticated
        record Identity(Optional<InetAddress> address, Optional<String> helo, Optional<String> login)
                implements
                    Impersonation {}

        record Rejected(Reply reply) implements Impersonation {}
    }

    private ClientIdentity() {}

    /// Reads the PROXY header and not a byte more, because a TLS handshake may follow at once.
    static ProxyHeader.ProxyResult proxied(SmtpStream wire, long timeoutNanos) throws IOException {
        ClientWait wait = wire.begin(timeoutNanos);
        byte[] prefix = wire.readExactly(ProxyHeader.PREFIX_BYTES, wait);
        if (ProxyHeader.isBinary(prefix)) {
            byte[] fixed = Arrays.copyOf(prefix, ProxyHeader.FIXED_BYTES);
            byte[] more = wire.readExactly(ProxyHeader.FIXED_BYTES - prefix.length, wait);
            System.arraycopy(more, 0, fixed, prefix.length, more.length);
            byte[] rest = wire.readExactly(ProxyHeader.followingBytes(fixed), wait);
            byte[] all = Arrays.copyOf(fixed, fixed.length + rest.length);
            System.arraycopy(rest, 0, all, fixed.length, rest.length);
            return ProxyHeader.binary(all);
        }
        return ProxyHeader.isLine(prefix) ? line(wire, prefix, wait) : new ProxyHeader.ProxyResult.Malformed();
    }

    private static ProxyHeader.ProxyResult line(SmtpStream wire, byte[] prefix, ClientWait wait) throws IOException {
        StringBuilder line = new StringBuilder(new String(prefix, StandardCharsets.ISO_8859_1));
        while (line.indexOf("\r\n") < 0) {
            if (line.length() >= ProxyHeader.LINE_BYTES) {
                return new ProxyHeader.ProxyResult.Malformed();
            }
            line.append((char) (wire.readExactly(1, wait)[0] & 255));
        }
        return line.indexOf("\r\n") == line.length() - 2
                ? ProxyHeader.line(line.substring(0, line.length() - 2))
                : new ProxyHeader.ProxyResult.Malformed();
    }

    /// Interprets the attributes of Postfix's XCLIENT_README. NAME, PORT, PROTO, DESTADDR and
    /// DESTPORT are accepted and ignored.
    static Impersonation impersonation(Command.Xclient xclient, Optional<String> helo, Optional<String> login) {
        Optional<InetAddress> address = Optional.empty();
        Optional<String> newHelo = helo;
        Optional<String> newLogin = login;
        for (Parameter attribute : xclient.attributes()) {
            Optional<String> value = Optional.of(attribute.value())
                    .filter(text -> !text.equals("[UNAVAILABLE]") && !text.equals("[TEMPUNAVAIL]"));
            switch (attribute.keyword()) {
                case "ADDR" -> {
                    address = value.flatMap(ClientIdentity::address);
                    if (value.isPresent() && address.isEmpty()) {
                        return rejected("ADDR");
                    }
                }
                case "HELO" -> newHelo = value;
                case "LOGIN" -> {
                    newLogin = value.flatMap(ClientIdentity::login);
                    if (value.isPresent() && newLogin.isEmpty()) {
                        return rejected("LOGIN");
                    }
                }
                case "NAME", "PORT", "PROTO", "DESTADDR", "DESTPORT" -> {
                }
                default -> {
                    return rejected(attribute.keyword());
                }
            }
        }
        if (newHelo.isPresent() && !isWord(newHelo.get())) {
            return rejected("HELO");
        }
        return new Impersonation.Identity(address, newHelo, newLogin);
    }

    private static Impersonation rejected(String attribute) {
        return new Impersonation.Rejected(Reply.of(501, "5.5.4", "Bad XCLIENT attribute: " + attribute));
    }

    private static Optional<InetAddress> address(String text) {
        boolean ip6 = text.regionMatches(true, 0, "IPV6:", 0, 5);
        try {
            return Optional.of(InetAddress.ofLiteral(ip6 ? text.substring(5) : text));
        } catch (IllegalArgumentException noAddress) {
            return Optional.empty();
        }
    }

    // A user name is UTF-8 without blanks and controls, and not empty: an empty name would count as
    // authenticated.
    private static Optional<String> login(String octets) {
        try {
            return Optional
                    .of(StandardCharsets.UTF_8.newDecoder()
                            .decode(ByteBuffer.wrap(octets.getBytes(StandardCharsets.ISO_8859_1))).toString())
                    .filter(name -> !name.isEmpty() && name.length() <= 255
                            && name.codePoints().noneMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c)
                                    || Controls.isInvisible(c)));
        } catch (CharacterCodingException noUtf8) {
            return Optional.empty();
        }
    }

    // The characters that a Received line permits.
    private static boolean isWord(String name) {
        return !name.isEmpty() && name.length() <= 255
                && name.chars().allMatch(c -> c > ' ' && c < 127 && "()<>\"\\;,".indexOf(c) < 0);
    }
}
