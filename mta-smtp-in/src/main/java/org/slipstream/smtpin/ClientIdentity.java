package org.slipstream.smtpin;

import org.slipstream.core.Reply;
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

/// Who the client is when somebody else tells us: a proxy by its header, or a listed speaker by XCLIENT. Stateless.
final class ClientIdentity {
    /// What XCLIENT changes; what is empty stays as it was or becomes unknown, as the attribute says.
    sealed interface Impersonation {
        /// @param address empty when nothing was said
        /// @param helo empty when unknown
        /// @param login empty when nobody has logged in
        record Somebody(Optional<InetAddress> address, Optional<String> helo, Optional<String> login)
                implements
                    Impersonation {}

        record Nonsense(Reply reply) implements Impersonation {}
    }

    private ClientIdentity() {}

    /// Reads the header that a listed proxy begins with, and not a byte more: TLS may follow at once.
    static ProxyHeader.Result proxied(SmtpStream wire, long patienceNanos) throws IOException {
        ClientWait wait = wire.begin(patienceNanos);
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
        return ProxyHeader.isLine(prefix) ? line(wire, prefix, wait) : new ProxyHeader.Result.Malformed();
    }

    private static ProxyHeader.Result line(SmtpStream wire, byte[] prefix, ClientWait wait) throws IOException {
        StringBuilder line = new StringBuilder(new String(prefix, StandardCharsets.ISO_8859_1));
        while (line.indexOf("\r\n") < 0) {
            if (line.length() >= ProxyHeader.LINE_BYTES) {
                return new ProxyHeader.Result.Malformed();
            }
            line.append((char) (wire.readExactly(1, wait)[0] & 255));
        }
        return line.indexOf("\r\n") == line.length() - 2
                ? ProxyHeader.line(line.substring(0, line.length() - 2))
                : new ProxyHeader.Result.Malformed();
    }

    /// The attributes of Postfix's XCLIENT_README that mean something here; NAME, PORT and PROTO are taken and not used.
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
                        return nonsense("ADDR");
                    }
                }
                case "HELO" -> newHelo = value;
                case "LOGIN" -> {
                    newLogin = value.flatMap(ClientIdentity::login);
                    if (value.isPresent() && newLogin.isEmpty()) {
                        return nonsense("LOGIN");
                    }
                }
                case "NAME", "PORT", "PROTO", "DESTADDR", "DESTPORT" -> {
                }
                default -> {
                    return nonsense(attribute.keyword());
                }
            }
        }
        if (newHelo.isPresent() && !isWord(newHelo.get())) {
            return nonsense("HELO");
        }
        return new Impersonation.Somebody(address, newHelo, newLogin);
    }

    private static Impersonation nonsense(String attribute) {
        return new Impersonation.Nonsense(Reply.of(501, "5.5.4", "Bad XCLIENT attribute: " + attribute));
    }

    private static Optional<InetAddress> address(String text) {
        boolean ip6 = text.regionMatches(true, 0, "IPV6:", 0, 5);
        try {
            return Optional.of(InetAddress.ofLiteral(ip6 ? text.substring(5) : text));
        } catch (IllegalArgumentException noAddress) {
            return Optional.empty();
        }
    }

    // A user's name is UTF-8 without blanks and controls. An empty one would be somebody who has logged in and is nobody.
    private static Optional<String> login(String octets) {
        try {
            return Optional
                    .of(StandardCharsets.UTF_8.newDecoder()
                            .decode(ByteBuffer.wrap(octets.getBytes(StandardCharsets.ISO_8859_1))).toString())
                    .filter(name -> !name.isEmpty() && name.length() <= 255
                            && name.codePoints().noneMatch(c -> Character.isWhitespace(c) || Character.isISOControl(c)
                                    || Character.isSpaceChar(c) || Character.getType(c) == Character.FORMAT));
        } catch (CharacterCodingException noUtf8) {
            return Optional.empty();
        }
    }

    // What may stand in a Received line.
    private static boolean isWord(String name) {
        return !name.isEmpty() && name.length() <= 255
                && name.chars().allMatch(c -> c > ' ' && c < 127 && "()<>\"\\;,".indexOf(c) < 0);
    }
}
