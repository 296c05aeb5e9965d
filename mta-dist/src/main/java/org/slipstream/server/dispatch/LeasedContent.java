package org.slipstream.server.dispatch;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// A content that can be read to its end only while the lease of its shard lasts. The delivery fails otherwise
/// before its last octets are sent, so no host and no mailbox takes the message from a node that has lost it.
///
/// It gives no [Content#source], because its octets could be sent without a question then.
final class LeasedContent implements Content {
    private final Content content;
    private final DeliveryLease lease;

    private LeasedContent(Content content, DeliveryLease lease) {
        this.content = content;
        this.lease = lease;
    }

    /// The content itself when the lease never ends.
    static Content of(Content content, DeliveryLease lease) {
        return lease == DeliveryLease.ENDLESS ? content : new LeasedContent(content, lease);
    }

    @Override
    public long sizeBytes() {
        return content.sizeBytes();
    }

    @Override
    public Optional<ContentFacts> facts() throws IOException {
        return content.facts();
    }

    @Override
    public InputStream open() throws IOException {
        return new FilterInputStream(content.open()) {
            @Override
            public int read() throws IOException {
                requireLease();
                return super.read();
            }

            @Override
            public int read(byte[] into, int at, int length) throws IOException {
                requireLease();
                return super.read(into, at, length);
            }
        };
    }

    private void requireLease() throws IOException {
        if (!lease.mayEnd()) {
            throw new IOException("the lease of the shard has not been renewed, so another node may deliver it");
        }
    }
}
