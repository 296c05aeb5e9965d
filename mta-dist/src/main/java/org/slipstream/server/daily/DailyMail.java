package org.slipstream.server.daily;

import org.slipstream.auth.report.ReportSource;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.Recipient;
import org.slipstream.core.SenderTls;
import org.slipstream.server.report.ReportField;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The mail of a daily report: a text for people, and the packed file.
///
/// It has the null sender, because nothing that comes back would be read, and a failure must not cause
/// another message. Its author is the contact, in whose domain it is signed.
///
/// @param file packed
record DailyMail(Address contact, List<Address> to, String domain, ReportSource source, DailyForm.MailForm form,
        String extension, byte[] file) {
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("EEE, d MMM yyyy HH:mm:ss xx",
            Locale.ENGLISH);
    /// No line of base64 or of the text is equal to it.
    private static final String BOUNDARY = "=_daily_report";

    Envelope envelope() {
        List<Recipient> recipients = new ArrayList<>();
        for (Address address : to) {
            recipients.add(new Recipient(recipients.size() + 1, address, Optional.empty(), Set.of(DsnNotify.NEVER)));
        }
        return new Envelope(Optional.empty(), BodyType.SEVEN_BIT, false, Optional.empty(), DsnReturn.UNSPECIFIED,
                recipients)
                .withOptions(DeliveryOptions.NONE.with(form.fields().containsKey("TLS-Required")
                        ? SenderTls.OPTIONAL
                        : SenderTls.USUAL))
                .withOrigin(new Origin("report", "", "", "", messageId(), Optional.empty()));
    }

    private String messageId() {
        return "<" + source.id() + ">";
    }

    byte[] content(Instant now) {
        String submitter = contact.domainKey();
        StringBuilder text = new StringBuilder(ReportField.of("Date", DATE.format(now.atOffset(ZoneOffset.UTC))));
        text.append(ReportField.of("From", "<" + contact + ">"));
        text.append(ReportField.of("To", to.stream().map(each -> "<" + each + ">").collect(Collectors.joining(", "))));
        text.append(ReportField.of("Subject", source.subject(domain, submitter)));
        text.append(ReportField.of("Message-ID", messageId()));
        text.append(ReportField.of("Auto-Submitted", "auto-generated"));
        form.fields().forEach((name, value) -> text.append(ReportField.of(name, value)));
        text.append(ReportField.of("MIME-Version", "1.0"));
        text.append("Content-Type: ").append(form.type()).append(";\r\n\tboundary=\"" + BOUNDARY + "\"\r\n");
        text.append("\r\n--" + BOUNDARY + "\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\n");
        text.append(form.about()).append("\r\nof one day, from the server ").append(source.organization())
                .append(".\r\nIt is sent because a record of that domain in DNS asks for it.\r\n");
        text.append("\r\n--" + BOUNDARY + "\r\nContent-Type: ").append(form.fileType())
                .append("\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment;\r\n\tfilename=\"")
                .append(source.fileName(domain, submitter, extension)).append("\"\r\n\r\n");
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(text.toString().getBytes(StandardCharsets.UTF_8));
        content.writeBytes(Base64.getMimeEncoder().encode(file));
        content.writeBytes(("\r\n--" + BOUNDARY + "--\r\n").getBytes(StandardCharsets.US_ASCII));
        return content.toByteArray();
    }
}
