package org.slipstream.auth.aggregate;

import org.slipstream.auth.dmarc.DmarcPolicy;
import org.slipstream.auth.dmarc.DmarcRecord.Alignment;
import org.slipstream.core.text.Ascii;

/// The words of the schema (RFC 9990 appendix A).
final class ReportWords {
    private ReportWords() {}

    static String of(DmarcPolicy policy) {
        return Ascii.lower(policy.name());
    }

    static String of(Alignment mode) {
        return mode == Alignment.STRICT ? "s" : "r";
    }

    static String passOrFail(boolean aligned) {
        return aligned ? "pass" : "fail";
    }
}
