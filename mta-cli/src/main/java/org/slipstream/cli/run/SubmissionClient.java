package org.slipstream.cli.run;

import jakarta.mail.Address;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPMessage;
import org.eclipse.angus.mail.smtp.SMTPTransport;
import org.eclipse.angus.mail.util.MailConnectException;
import org.slipstream.core.text.Ascii;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/// One SMTP transaction as a client of this server.
///
/// The mail library speaks SMTP and gets bytes instead of a message object, because it would write
/// a parsed message differently.
final class SubmissionClient {
    private static final String CONNECT_MILLIS = "30000";
    /// RFC 5321 section 4.5.3.2.6: ten minutes for the reply to the final dot.
    private static final String REPLY_MILLIS = "600000";

    /// @param accepted the server's last reply, when it accepted the message for at least one
    ///     recipient
    /// @param refused the server's reply by recipient; under the empty name when it refused the
    ///     message itself
    record SubmissionResult(Optional<String> accepted, Map<String, String> refused) {}

    /// No server, or the connection was lost: the result is unknown.
    static final class Unreachable extends Exception {
        private static final long serialVersionUID = 1L;

        Unreachable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private final String host;
    private final int port;
    private final String hostname;

    /// @param hostname our name in EHLO
    SubmissionClient(String host, int port, String hostname) {
        this.host = host;
        this.port = port;
        this.hostname = hostname;
    }

    /// Sends the bytes unchanged, except that every line ends with CRLF, the last one included.
    ///
    /// @param sender empty for the null sender
    SubmissionResult send(Optional<String> sender, List<String> recipients, byte[] content) throws Unreachable {
        Session session = Session.getInstance(properties(Ascii.is(sender.orElse("")) && recipients.stream()
                .allMatch(Ascii::is)));
        try (Transport transport = session.getTransport("smtp")) {
            transport.connect(host, port, null, null);
            SMTPTransport smtp = (SMTPTransport) transport;
            RawMessage message = new RawMessage(session, content);
            message.setEnvelopeFrom(sender.orElse("<>"));
            message.setSendPartial(true);
            if (!isSevenBit(content) && smtp.supportsExtension("8BITMIME")) {
                message.setMailExtension("BODY=8BITMIME");
            }
            return transact(smtp, message, addresses(recipients));
        } catch (MailConnectException refused) {
            throw new Unreachable("cannot connect to " + host + ":" + port + ": "
                    + Optional.ofNullable(refused.getCause()).orElse(refused).getMessage(), refused);
        } catch (MessagingException broken) {
            throw new Unreachable("the connection to " + host + ":" + port + " was lost: " + broken.getMessage(),
                    broken);
        }
    }

    private static SubmissionResult transact(SMTPTransport smtp, RawMessage message, Address[] recipients)
            throws MessagingException {
        try {
            smtp.sendMessage(message, recipients);
            return new SubmissionResult(Optional.of(smtp.getLastServerResponse().strip()), Map.of());
        } catch (SendFailedException some) {
            return refusals(smtp, some);
        }
    }

    private static SubmissionResult refusals(SMTPTransport smtp, SendFailedException failure)
            throws MessagingException {
        Map<String, String> refused = new LinkedHashMap<>();
        for (Exception each = failure; each instanceof MessagingException one; each = one.getNextException()) {
            if (each instanceof SMTPAddressFailedException address) {
                refused.put(address.getAddress().getAddress(), String.valueOf(address.getMessage()).strip());
            }
        }
        boolean sent = failure.getValidSentAddresses() != null && failure.getValidSentAddresses().length > 0;
        if (sent) {
            return new SubmissionResult(Optional.of(smtp.getLastServerResponse().strip()), refused);
        }
        if (refused.isEmpty()) {
            if (smtp.getLastReturnCode() < 400) {
                throw failure;
            }
            refused.put("", smtp.getLastServerResponse().strip());
        }
        return new SubmissionResult(Optional.empty(), refused);
    }

    private Properties properties(boolean ascii) {
        Properties properties = new Properties();
        // Set, because the library would otherwise ask DNS for our name.
        properties.put("mail.smtp.localhost", hostname);
        properties.put("mail.smtp.connectiontimeout", CONNECT_MILLIS);
        properties.put("mail.smtp.timeout", REPLY_MILLIS);
        properties.put("mail.smtp.writetimeout", REPLY_MILLIS);
        properties.put("mail.mime.allowutf8", Boolean.toString(!ascii));
        return properties;
    }

    private static Address[] addresses(List<String> recipients) {
        List<Address> addresses = new ArrayList<>();
        for (String recipient : recipients) {
            InternetAddress address = new InternetAddress();
            address.setAddress(recipient);
            addresses.add(address);
        }
        return addresses.toArray(Address[]::new);
    }

    private static boolean isSevenBit(byte[] content) {
        for (byte b : content) {
            if (b < 0) {
                return false;
            }
        }
        return true;
    }

    /// The library accepts bytes only as a message that writes them.
    private static final class RawMessage extends SMTPMessage {
        private final byte[] content;

        RawMessage(Session session, byte[] content) {
            super(session);
            this.content = content;
        }

        @Override
        public void writeTo(OutputStream out, String[] ignored) throws IOException {
            out.write(content);
        }

        @Override
        public int getSize() {
            return content.length;
        }

        @Override
        public void saveChanges() {
            // Does nothing: the message must not change.
        }
    }
}
