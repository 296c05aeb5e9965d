package org.slipstream.smtpin;

import org.slipstream.testkit.TestCertificates;

import javax.net.ssl.SSLContext;

/// Self-signed pairs, made once for all tests.
final class Certificates {
    private Certificates() {}

    /// Serves and trusts `mx.test`.
    static SSLContext mx() {
        return Holder.MX;
    }

    /// Serves `one.test` and `two.test`, and trusts both.
    static SSLContext both() {
        return Holder.BOTH;
    }

    private static final class Holder {
        static final SSLContext MX = TestCertificates.of("mx.test");
        static final SSLContext BOTH = TestCertificates.of("one.test", "two.test");
    }
}
