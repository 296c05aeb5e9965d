package org.slipstream.spool.tools;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.Content;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.SenderTls;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// One message as an `.eml` file that any mail program opens: the envelope in additional header
/// fields before the message's own.
///
/// ```
/// X-Slipstream-From: <ann@example.org>                 (<> for the null sender)
/// X-Slipstream-Body: EIGHT_BIT_MIME
/// X-Slipstream-Smtputf8: yes                           when it needs SMTPUTF8 (RFC 6531)
/// X-Slipstream-Return: HEADERS                         RET and ENVID of RFC 3461 section 4.3 and 4.4
/// X-Slipstream-Envid: QQ314159
/// X-Slipstream-Hold-Until: 2030-01-01T08:00:00Z         not before (RFC 4865)
/// X-Slipstream-Deliver-By: 2030-01-01T09:00:00Z;RT      with its mode (RFC 2852)
/// X-Slipstream-Priority: 4                             MT-PRIORITY (RFC 6710)
/// X-Slipstream-Require-Tls: yes                        REQUIRETLS (RFC 8689); no for TLS-Required: No
/// X-Slipstream-To: <bob@example.net> NOTIFY=SUCCESS,DELAY ORCPT=rfc822;Bob+40Example.NET
/// ```
///
/// The content follows byte for byte. Only recipients that still wait for the message are named, so
/// an import of the file delivers to them alone.
final class MailFile {
    private static final String PREFIX = "X-Slipstream-";
    private static final int LONGEST_LINE = 1 << 20;

    private MailFile() {}

    static void write(Path file, Envelope envelope, List<Recipient> open, Content source) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".part");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(fresh));
                InputStream content = source.open()) {
            out.write(header(envelope, open).getBytes(StandardCharsets.UTF_8));
            content.transferTo(out);
        }
        Files.move(fresh, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private static String header(Envelope envelope, List<Recipient> open) {
        StringBuilder header = new StringBuilder();
        field(header, "From", "<" + envelope.sender().map(Address::toString).orElse("") + ">");
        field(header, "Body", envelope.body().name());
        if (envelope.smtpUtf8()) {
            field(header, "Smtputf8", "yes");
        }
        field(header, "Return", envelope.returns().name());
        envelope.envelopeId().ifPresent(id -> field(header, "Envid", id));
        options(header, envelope.options());
        for (Recipient recipient : open) {
            String notify = recipient.notifyOn().isEmpty()
                    ? ""
                    : " NOTIFY=" + String.join(",", recipient.notifyOn().stream().map(Enum::name).toList());
            field(header, "To", "<" + recipient.address() + ">" + notify
                    + recipient.original().map(original -> " ORCPT=" + original).orElse(""));
        }
        return header.toString();
    }

    private static void options(StringBuilder header, DeliveryOptions options) {
        options.holdUntilMillis()
                .ifPresent(millis -> field(header, "Hold-Until", Instant.ofEpochMilli(millis).toString()));
        options.deliverBy().ifPresent(by -> field(header, "Deliver-By", Instant.ofEpochMilli(by.deadlineMillis()) + ";"
                + (by.returned() ? "R" : "N") + (by.traced() ? "T" : "")));
        if (options.priority() != 0) {
            field(header, "Priority", Integer.toString(options.priority()));
        }
        if (options.tls() != SenderTls.USUAL) {
            field(header, "Require-Tls", options.requireTls() ? "yes" : "no");
        }
    }

    private static void field(StringBuilder header, String name, String value) {
        header.append(PREFIX).append(name).append(": ").append(value).append("\r\n");
    }

    /// Commits the message of a file.
    ///
    /// @throws IOException also when the file has no valid envelope
    static QueueId commit(Path file, Spool spool) throws IOException {
        try (BufferedInputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            Envelope envelope = read(in);
            try (Draft draft = spool.draft()) {
                byte[] buffer = new byte[64 << 10];
                for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
                    draft.write(buffer, 0, got);
                }
                return draft.commit(envelope).id();
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new IOException(file + " has no valid envelope: " + e.getMessage(), e);
        }
    }

    private static Envelope read(BufferedInputStream in) throws IOException {
        Optional<Address> sender = Optional.empty();
        boolean hasSender = false;
        BodyType body = BodyType.SEVEN_BIT;
        boolean smtpUtf8 = false;
        DsnReturn returns = DsnReturn.UNSPECIFIED;
        Optional<String> envelopeId = Optional.empty();
        OptionalLong hold = OptionalLong.empty();
        Optional<DeliveryOptions.DeliverBy> deliverBy = Optional.empty();
        int priority = 0;
        SenderTls tls = SenderTls.USUAL;
        List<Recipient> recipients = new ArrayList<>();
        for (Optional<String> line = ownField(in); line.isPresent(); line = ownField(in)) {
            int colon = line.get().indexOf(": ");
            String value = line.get().substring(colon + 2);
            switch (line.get().substring(0, colon)) {
                case "From" -> {
                    hasSender = true;
                    sender = value.equals("<>") ? Optional.empty() : Optional.of(address(value));
                }
                case "Body" -> body = BodyType.valueOf(value);
                case "Smtputf8" -> smtpUtf8 = true;
                case "Return" -> returns = DsnReturn.valueOf(value);
                case "Envid" -> envelopeId = Optional.of(value);
                case "Hold-Until" -> hold = OptionalLong.of(Instant.parse(value).toEpochMilli());
                case "Deliver-By" -> deliverBy = Optional.of(deliverBy(value));
                case "Priority" -> priority = Integer.parseInt(value);
                case "Require-Tls" -> tls = value.equals("no") ? SenderTls.OPTIONAL : SenderTls.REQUIRED;
                case "To" -> recipients.add(recipient(recipients.size() + 1, value));
                default -> throw new IllegalArgumentException("unknown field " + line.get());
            }
        }
        if (!hasSender || recipients.isEmpty()) {
            throw new IllegalArgumentException("no " + PREFIX + (hasSender ? "To" : "From") + " at the top");
        }
        return new Envelope(sender, body, smtpUtf8, envelopeId, returns, recipients,
                new DeliveryOptions(hold, deliverBy, priority, tls), Origin.UNKNOWN);
    }

    private static DeliveryOptions.DeliverBy deliverBy(String value) {
        int semicolon = value.indexOf(';');
        if (semicolon < 0 || !value.substring(semicolon + 1).matches("[RN]T?")) {
            throw new IllegalArgumentException("no deadline: " + value);
        }
        return new DeliveryOptions.DeliverBy(Instant.parse(value.substring(0, semicolon)).toEpochMilli(),
                value.charAt(semicolon + 1) == 'R', value.endsWith("T"));
    }

    /// The next line without the prefix if it is an `X-Slipstream` field; otherwise nothing is
    /// consumed.
    private static Optional<String> ownField(BufferedInputStream in) throws IOException {
        in.mark(LONGEST_LINE);
        byte[] start = in.readNBytes(PREFIX.length());
        if (!Arrays.equals(start, PREFIX.getBytes(StandardCharsets.US_ASCII))) {
            in.reset();
            return Optional.empty();
        }
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int octet = in.read(); octet >= 0 && octet != '\n' && line.size() < LONGEST_LINE; octet = in.read()) {
            line.write(octet);
        }
        String text = line.toString(StandardCharsets.UTF_8).stripTrailing();
        if (text.indexOf(": ") < 0) {
            throw new IllegalArgumentException("no field: " + text);
        }
        return Optional.of(text);
    }

    private static Address address(String value) {
        int end = value.lastIndexOf('>');
        if (!value.startsWith("<") || end < 0) {
            throw new IllegalArgumentException("no address: " + value);
        }
        return Address.of(value.substring(1, end));
    }

    private static Recipient recipient(int number, String value) {
        int end = value.indexOf("> ");
        Address address = address(end < 0 ? value : value.substring(0, end + 1));
        Optional<String> original = Optional.empty();
        Set<DsnNotify> notifyOn = EnumSet.noneOf(DsnNotify.class);
        String rest = end < 0 ? "" : value.substring(end + 2);
        int orcpt = rest.indexOf("ORCPT=");
        if (orcpt >= 0) {
            original = Optional.of(rest.substring(orcpt + "ORCPT=".length()));
            rest = rest.substring(0, orcpt).strip();
        }
        if (rest.startsWith("NOTIFY=")) {
            for (String each : rest.substring("NOTIFY=".length()).split(",")) {
                notifyOn.add(DsnNotify.valueOf(each));
            }
        }
        return new Recipient(number, address, original, notifyOn.isEmpty() ? Set.of() : notifyOn);
    }
}
