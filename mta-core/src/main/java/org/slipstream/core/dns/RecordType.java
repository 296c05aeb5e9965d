package org.slipstream.core.dns;

/// The types of records that are asked for, with the form of their text.
///
/// | Type | Text |
/// |---|---|
/// | A, AAAA | `192.0.2.1` |
/// | MX | `10 mx.example.org`; `0 .` for a domain without mail |
/// | PTR, CNAME | a name without the final dot |
/// | TXT | the strings of a record, joined (RFC 7208 section 3.3), a character for each octet |
/// | TLSA | `3 1 1 0123…` |
/// | SRV | `0 1 465 mail.example.org` |
public enum RecordType {
    A, AAAA, MX, PTR, CNAME, TXT, TLSA, SRV
}
