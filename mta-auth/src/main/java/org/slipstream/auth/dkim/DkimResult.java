package org.slipstream.auth.dkim;

/// The verdict about one signature. All texts have printable characters only; an identity may have
/// quotes, semicolons and characters above ASCII.
///
/// A domain that is testing (`testing`) wants its mail treated as unsigned when the verdict is not
/// *pass* (RFC 6376 section 3.6.1).
///
/// @param reason in words; empty for *pass*
/// @param domain `header.d`; empty when the tag is missing or is no name
/// @param selector `header.s`; empty likewise
/// @param algorithm `header.a`, as written; empty when it is no word
/// @param identity `header.i`, by default `@` and the domain
/// @param prefix `header.b`: the first characters of the signature
/// @param keyBits 0 when the key was not had
public record DkimResult(DkimVerdict verdict, String reason, String domain, String selector, String algorithm,
        String identity, String prefix, int keyBits, boolean testing) {}
