package org.slipstream.smtpout;

import org.slipstream.core.BodyType;
import org.slipstream.core.Content;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.content.Conversion;
import org.slipstream.smtpout.content.Survey;
import org.slipstream.smtpout.dialog.PeerExtensions;
import org.slipstream.smtpout.dialog.PeerExtensions.PeerExtension;
import org.slipstream.smtpout.dialog.Transfer;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// Decides whether a peer can take a message as it is, converted, or not at all.
///
/// Most peers support everything, and for them the content is not read. It is read ahead of time
/// only for a peer without an extension that this message might need, unless reception recorded
/// that the content is ASCII.
sealed interface PeerCompatibility {
    PeerCompatibility AS_IT_IS = new Unchanged();

    record Unchanged() implements PeerCompatibility {}

    record Converted(Content content) implements PeerCompatibility {}

    /// The peer lacks an extension. 5xx, because extensions do not change from day to day.
    record Incompatible(Reply reason) implements PeerCompatibility {}

    /// @throws IOException when the content cannot be read
    static PeerCompatibility of(Transfer transfer, PeerExtensions peer, Assurance assurance) throws IOException {
        Optional<Reply> broken = requireTlsFailure(transfer, peer, assurance)
                .or(() -> deliverByFailure(transfer, peer, assurance));
        if (broken.isPresent()) {
            return new Incompatible(broken.get());
        }
        boolean sevenBit = !peer.offers(PeerExtension.EIGHT_BIT_MIME);
        boolean binary = transfer.envelope().body() == BodyType.BINARY_MIME;
        boolean utf8 = transfer.envelope().smtpUtf8() && !peer.offers(PeerExtension.SMTPUTF8);
        if (!sevenBit && !binary && !utf8) {
            return AS_IT_IS;
        }
        if (!binary && isAscii(transfer.content())) {
            return AS_IT_IS;
        }
        Survey survey = survey(transfer.content());
        if (utf8 && survey.hasEightBitHeader()) {
            // RFC 6531 section 3.5.
            return new Incompatible(Reply.of(550, "5.6.9",
                    "SMTPUTF8 is required for the message header, but was not offered by the next hop"));
        }
        boolean wanted = sevenBit && survey.hasEightBitContent() || binary && survey.hasBinaryContent();
        if (!wanted) {
            return AS_IT_IS;
        }
        return survey.isConvertible()
                ? new Converted(converted(transfer.content(), survey, sevenBit, binary, false))
                : new Incompatible(Reply.of(554, "5.6.3",
                        "message is malformed and cannot be converted to 7bit for the next hop"));
    }

    // RFC 8689 section 4.2.1: only to an authenticated host under TLS that offers REQUIRETLS.
    // Otherwise the message is returned, because a retry would not change the peer.
    private static Optional<Reply> requireTlsFailure(Transfer transfer, PeerExtensions peer, Assurance assurance) {
        if (!transfer.envelope().options().requireTls() || assurance == Assurance.FINAL) {
            return Optional.empty();
        }
        if (assurance != Assurance.AUTHENTICATED) {
            return Optional.of(Reply.of(550, "5.7.10",
                    "REQUIRETLS: authenticated TLS is required, but not configured for the next hop"));
        }
        return peer.offers(PeerExtension.REQUIRETLS)
                ? Optional.empty()
                : Optional.of(Reply.of(550, "5.7.30", "REQUIRETLS is required, but was not offered by the next hop"));
    }

    // RFC 2852 section 4: mail that is returned when late does not go to a relay without DELIVERBY.
    private static Optional<Reply> deliverByFailure(Transfer transfer, PeerExtensions peer, Assurance assurance) {
        boolean timed = transfer.envelope().options().deliverBy().filter(DeliveryOptions.DeliverBy::returned)
                .isPresent();
        return timed && assurance != Assurance.FINAL && !peer.offers(PeerExtension.DELIVER_BY)
                ? Optional.of(Reply.of(554, "5.3.3",
                        "DELIVERBY is required, but was not offered by the next hop"))
                : Optional.empty();
    }

    /// For content with lines of more than 998 octets, which RFC 5321 section 4.5.3.1.6 does not
    /// permit.
    ///
    /// @throws IOException when the content cannot be read
    static PeerCompatibility withShortLines(Transfer transfer, PeerExtensions peer) throws IOException {
        Survey survey = survey(transfer.content());
        if (survey.isSigned() || !survey.canShortenLines()) {
            return new Incompatible(Reply.of(554, "5.6.0", "message has lines of more than 998 octets, which cannot be"
                    + " folded because "
                    + (survey.isSigned()
                            ? "it is signed"
                            : "they are in a header without blanks or outside of the MIME parts")
                    + " (see smtp-client.long-lines)"));
        }
        boolean sevenBit = !peer.offers(PeerExtension.EIGHT_BIT_MIME);
        boolean binary = transfer.envelope().body() == BodyType.BINARY_MIME;
        return new Converted(converted(transfer.content(), survey, sevenBit, binary, true));
    }

    private static boolean isAscii(Content content) throws IOException {
        return content.facts().filter(facts -> !facts.eightBit()).isPresent();
    }

    private static Survey survey(Content content) throws IOException {
        try (InputStream in = content.open()) {
            return Survey.of(in);
        }
    }

    private static Content converted(Content content, Survey survey, boolean sevenBit, boolean binary,
            boolean shortLines)
            throws IOException {
        long size = 0;
        try (InputStream in = new Conversion(content.open(), survey, sevenBit, binary, shortLines)) {
            size = in.transferTo(java.io.OutputStream.nullOutputStream());
        }
        return new ConvertedContent(content, survey, sevenBit, binary, shortLines, size);
    }

    /// The same for equal octets of one message.
    static String form(Content content) {
        return content instanceof ConvertedContent converted
                ? converted.sevenBit + " " + converted.binary + " " + converted.shortLines
                : "unchanged";
    }

    record ConvertedContent(Content original, Survey survey, boolean sevenBit, boolean binary, boolean shortLines,
            long sizeBytes) implements Content {
        @Override
        public InputStream open() throws IOException {
            return new Conversion(original.open(), survey, sevenBit, binary, shortLines);
        }
    }
}
