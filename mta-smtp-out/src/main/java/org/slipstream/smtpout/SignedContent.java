package org.slipstream.smtpout;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Optional;

/// A content with further fields at its top.
///
/// @param fields whole lines of ASCII, none of which is long or begins with a dot
public record SignedContent(byte[] fields, Content original) implements Content {
    @Override
    public long sizeBytes() {
        return fields.length + original.sizeBytes();
    }

    @Override
    public InputStream open() throws IOException {
        return new SequenceInputStream(new ByteArrayInputStream(fields), original.open());
    }

    @Override
    public Optional<ContentFacts> facts() throws IOException {
        Optional<ContentFacts> own = ContentFacts.of(fields);
        return own.isEmpty() ? Optional.empty() : original.facts().map(own.get()::and);
    }
}
