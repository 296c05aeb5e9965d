package org.slipstream.auth.dkim;

import org.slipstream.core.text.Ascii;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The fields that a signature covers.
///
/// A *sealed* field is named once more than it stands in the header, so a second one that is
/// added breaks the signature (RFC 6376 section 8.15): readers show the first From or Subject, and a
/// Content-Type gives the same octets another meaning. A *present* field is named as often as it
/// stands there: lists and servers add the others on the way, and mail should survive that.
///
/// @param sealed in lower case
/// @param present in lower case
public record SignedFields(List<String> sealed, List<String> present) {
    /// Between the sets of Rspamd and mox. Receivers want the fields of lists and of feedback loops
    /// signed where they are. Received, Return-Path and Authentication-Results change on the way.
    public static final SignedFields USUAL = new SignedFields(
            List.of("from", "to", "cc", "subject", "date", "reply-to", "message-id", "mime-version", "content-type",
                    "content-transfer-encoding"),
            List.of("sender", "in-reply-to", "references", "resent-from", "resent-to", "resent-cc", "resent-date",
                    "resent-message-id", "list-id", "list-help", "list-unsubscribe", "list-unsubscribe-post",
                    "list-subscribe", "list-post", "list-owner", "list-archive", "feedback-id", "autocrypt",
                    "slipstream-trace"));
    /// Of one name. A message with more has them on top, unsigned.
    private static final int MOST_OF_A_NAME = 20;

    public SignedFields {
        sealed = Stream.concat(Stream.of("from"), sealed.stream().map(Ascii::lower)).distinct().toList();
        present = present.stream().map(Ascii::lower).distinct().toList();
    }

    /// The value of the tag `h` for this header.
    List<String> names(RawHeader header) {
        List<String> names = new ArrayList<>();
        sealed.forEach(name -> add(name, 1 + header.count(name), names));
        present.forEach(name -> add(name, header.count(name), names));
        return names;
    }

    private static void add(String name, int times, List<String> names) {
        for (int i = 0; i < Math.min(times, MOST_OF_A_NAME); i++) {
            names.add(name);
        }
    }
}
