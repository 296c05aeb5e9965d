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

/// Whether a peer can take a letter as it is, in another form, or not at all.
///
/// Most peers can take everything, and for them nothing is looked at. The letter is read ahead of time only for a peer that lacks what
/// this message might need, and not when intake has kept that it is ASCII.
sealed interface Fitting {
    Fitting AS_IT_IS = new AsItIs();

    record AsItIs() implements Fitting {}

    record Converted(Content content) implements Fitting {}

    /// No way to say it to this peer. 5xx: its extensions do not change from one day to the next.
    record Impossible(Reply reason) implements Fitting {}

    /// @throws IOException when the letter cannot be read
    static Fitting of(Transfer transfer, PeerExtensions peer, Assurance assurance) throws IOException {
        Optional<Reply> broken = exposed(transfer, peer, assurance).or(() -> untimed(transfer, peer, assurance));
        if (broken.isPresent()) {
            return new Impossible(broken.get());
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
            return new Impossible(Reply.of(550, "5.6.9",
                    "the message has a header that needs SMTPUTF8, which the next hop does not offer"));
        }
        boolean wanted = sevenBit && survey.hasEightBitContent() || binary && survey.hasBinaryContent();
        if (!wanted) {
            return AS_IT_IS;
        }
        return survey.isConvertible()
                ? new Converted(converted(transfer.content(), survey, sevenBit, binary, false))
                : new Impossible(Reply.of(554, "5.6.3",
                        "the message is too malformed to be converted to what the next hop can take"));
    }

    // RFC 8689 section 4.2.1: to whom it says it is, in secret, and to nobody who does not promise the same. Otherwise it goes back;
    // what the peer is will not change by waiting.
    private static Optional<Reply> exposed(Transfer transfer, PeerExtensions peer, Assurance assurance) {
        if (!transfer.envelope().options().requireTls() || assurance == Assurance.FINAL) {
            return Optional.empty();
        }
        if (assurance != Assurance.AUTHENTICATED) {
            return Optional.of(Reply.of(550, "5.7.10",
                    "the sender requires authenticated TLS, which is not demanded of the next hop (REQUIRETLS)"));
        }
        return peer.offers(PeerExtension.REQUIRETLS)
                ? Optional.empty()
                : Optional.of(Reply.of(550, "5.7.30", "the sender requires TLS all the way, and the next hop does not"
                        + " offer REQUIRETLS"));
    }

    // RFC 2852 section 4: mail that is to be there in time or to come back does not go to a relay that knows nothing of time.
    private static Optional<Reply> untimed(Transfer transfer, PeerExtensions peer, Assurance assurance) {
        boolean timed = transfer.envelope().options().deliverBy().filter(DeliveryOptions.DeliverBy::returned)
                .isPresent();
        return timed && assurance != Assurance.FINAL && !peer.offers(PeerExtension.DELIVER_BY)
                ? Optional.of(Reply.of(554, "5.3.3",
                        "the sender wants it delivered in time or back, and the next hop does not offer DELIVERBY"))
                : Optional.empty();
    }

    /// The letter has lines of more than 998 octets, which RFC 5321 section 4.5.3.1.6 does not allow.
    ///
    /// @throws IOException when the letter cannot be read
    static Fitting withShortLines(Transfer transfer, PeerExtensions peer) throws IOException {
        Survey survey = survey(transfer.content());
        if (survey.isSigned() || !survey.canShortenLines()) {
            return new Impossible(Reply.of(554, "5.6.0", "the message has lines of more than 998 octets and "
                    + (survey.isSigned()
                            ? "is signed, so they cannot be made shorter without breaking the signature"
                            : "they are in a header without blanks or outside of its parts, where they cannot be made"
                                    + " shorter")
                    + "; the server's operator can have them sent or broken (smtp-client.long-lines)"));
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

    record ConvertedContent(Content original, Survey survey, boolean sevenBit, boolean binary, boolean shortLines,
            long sizeBytes) implements Content {
        @Override
        public InputStream open() throws IOException {
            return new Conversion(original.open(), survey, sevenBit, binary, shortLines);
        }
    }
}
