package org.slipstream.server.dispatch;

import org.slipstream.core.Envelope;

/// Is told of recipients that a host refused for good.
public interface RefusedMail {
    RefusedMail NONE = new RefusedMail() {
        @Override
        public boolean counts() {
            return false;
        }

        @Override
        public void refused(Envelope envelope) {
            // Nothing counts.
        }
    };

    /// False when nothing wants to know; never blocks.
    boolean counts();

    /// One recipient of a message.
    void refused(Envelope envelope);
}
