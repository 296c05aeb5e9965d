package org.slipstream.auth.dkim;

import java.util.Arrays;
import java.util.Optional;

/// The algorithms that are signed and verified with (RFC 8301, RFC 8463). Both sign a SHA-256 digest.
public enum DkimAlgorithm {
    RSA("rsa"), ED25519("ed25519");

    private final String keyWord;

    DkimAlgorithm(String keyWord) {
        this.keyWord = keyWord;
    }

    /// The word of the tag `k` of a key.
    public String keyWord() {
        return keyWord;
    }

    /// The word of the tag `a` of a signature.
    public String word() {
        return keyWord + "-sha256";
    }

    static Optional<DkimAlgorithm> ofWord(String word) {
        return Arrays.stream(values()).filter(one -> one.word().equals(word)).findFirst();
    }

    static Optional<DkimAlgorithm> ofKeyWord(String word) {
        return Arrays.stream(values()).filter(one -> one.keyWord.equals(word)).findFirst();
    }
}
