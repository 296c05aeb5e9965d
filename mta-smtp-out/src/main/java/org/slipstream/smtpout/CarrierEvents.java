package org.slipstream.smtpout;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.QueuePhase;

import java.util.Optional;
import java.util.OptionalLong;

/// The events of connections. Called on the threads of the connections; must return at once.
///
/// Every [Carriers#open] gets one reply, [#ready] or [#failed], and every [Carriers#deliver] one,
/// [#done]. A connection that was ready ends with the first of these: a close that was ordered, a
/// result that is not usable, [#lost], or a [DeliveryResult.Unanswered]. Its other deliveries have
/// results of their own, which may come later.
public interface CarrierEvents {
    /// Greeting, EHLO, TLS and AUTH have succeeded.
    void ready(long connection);

    /// The connection could not be opened.
    ///
    /// @param reason 4xx, or 5xx when a retry cannot help
    /// @param ours a failure of this server and not of the host: no file descriptor, no source
    ///     address, no such transport, a stop
    /// @param retryAfterMillis the delay that the peer's reply names, if any
    /// @param phase that failed, if known
    void failed(long connection, Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis,
            Optional<QueuePhase.Code> phase);

    void done(DeliveryResult result);

    /// The peer closed the connection while nothing was under way, which is not a failure. A
    /// delivery that was being sent at that moment gets a result of its own, later.
    void lost(long connection, String reason);

    /// Changes the number of unanswered deliveries that keep the connection busy; 1 until the first
    /// of these events.
    void depth(long connection, int deliveries);

    /// The peer failed when commands were sent ahead of its replies: see `dialog.Pipeline`.
    /// Precedes the end of the connection. The next connection to this host should be opened
    /// plainly.
    void pipelinesBadly(long connection, String what);
}
