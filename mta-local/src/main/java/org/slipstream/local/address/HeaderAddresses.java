package org.slipstream.local.address;

import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeUtility;
import org.slipstream.core.Address;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/// Replaces addresses in the header fields that hold addresses (RFC 5322 section 3.6). A field in
/// which nothing changes keeps all its bytes, and so does one that cannot be read.
final class HeaderAddresses {
    private static final Set<String> SENDERS = Set.of("from", "sender", "reply-to", "errors-to", "return-receipt-to",
            "disposition-notification-to", "resent-from", "resent-sender", "resent-reply-to");
    private static final Set<String> RECIPIENTS = Set.of("to", "cc", "bcc", "resent-to", "resent-cc", "resent-bcc");

    private final UnaryOperator<Address> sender;
    private final UnaryOperator<Address> recipient;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private HeaderAddresses(UnaryOperator<Address> sender, UnaryOperator<Address> recipient) {
        this.sender = sender;
        this.recipient = recipient;
    }

    /// @param fields lines that end with CRLF
    static byte[] replaced(byte[] fields, UnaryOperator<Address> sender, UnaryOperator<Address> recipient) {
        HeaderAddresses edit = new HeaderAddresses(sender, recipient);
        for (int from = 0; from < fields.length;) {
            int to = endOfField(fields, from);
            edit.field(fields, from, to);
            from = to;
        }
        return edit.out.toByteArray();
    }

    /// A line that begins with a blank belongs to the field before it.
    private static int endOfField(byte[] fields, int from) {
        for (int i = from; i < fields.length; i++) {
            if (fields[i] == '\n' && (i + 1 == fields.length || fields[i + 1] != ' ' && fields[i + 1] != '\t')) {
                return i + 1;
            }
        }
        return fields.length;
    }

    private void field(byte[] fields, int from, int to) {
        String text = new String(fields, from, to - from, StandardCharsets.UTF_8);
        int colon = text.indexOf(':');
        String name = colon < 0 ? "" : text.substring(0, colon).strip();
        Optional<UnaryOperator<Address>> change = change(name.toLowerCase(Locale.ROOT));
        Optional<String> changed = change.flatMap(each -> body(text.substring(colon + 1), name, each));
        changed.ifPresentOrElse(body -> out.writeBytes((name + ": " + body + "\r\n").getBytes(StandardCharsets.UTF_8)),
                () -> out.write(fields, from, to - from));
    }

    private Optional<UnaryOperator<Address>> change(String name) {
        return SENDERS.contains(name)
                ? Optional.of(sender)
                : Optional.of(recipient).filter(_ -> RECIPIENTS.contains(name));
    }

    /// Empty when nothing changes. A byte that is not UTF-8 could not be written again.
    private static Optional<String> body(String body, String name, UnaryOperator<Address> change) {
        if (body.indexOf('\uFFFD') >= 0) {
            return Optional.empty();
        }
        try {
            InternetAddress[] addresses = InternetAddress.parseHeader(MimeUtility.unfold(body.strip()), false);
            boolean any = false;
            for (InternetAddress each : addresses) {
                any |= replace(each, change);
            }
            return any
                    ? Optional.of(InternetAddress.toString(addresses, name.length() + 2))
                    : Optional.empty();
        } catch (AddressException unreadable) {
            return Optional.empty();
        }
    }

    // A group (`Friends: a@b, c@d;`) stays: the library has it as one piece.
    private static boolean replace(InternetAddress address, UnaryOperator<Address> change) {
        if (address.isGroup()) {
            return false;
        }
        Optional<Address> given = Optional.ofNullable(address.getAddress()).flatMap(Address::parse);
        Optional<Address> other = given.map(change).filter(each -> !given.get().equals(each));
        other.ifPresent(each -> address.setAddress(each.toString()));
        return other.isPresent();
    }
}
