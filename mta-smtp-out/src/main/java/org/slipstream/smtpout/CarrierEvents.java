package org.slipstream.smtpout;

import org.slipstream.core.DeliveryResult;
import org.slipstream.core.Reply;

import java.util.OptionalLong;

/// The events of connections. Called on the threads of the connections; returns at once.
///
/// Every [Carriers#open] is answered once, by [#ready] or [#failed], and every [Carriers#deliver] once, by [#done]. A connection that
/// was ready ends with the first of these: a close that was ordered, a result that is not usable, [#lost], or a
/// [DeliveryResult.Unanswered]. Its other deliveries have results of their own, which may come later.
public interface CarrierEvents {
    /// Greeting, EHLO and TLS are done.
    void ready(long connection);

    /// The connection could not be made.
    ///
    /// @param reason 4xx, or 5xx when waiting cannot help
    /// @param ours the failure is one of this server: no file descriptor, no source address, no such transport, a stop. No host is to
    /// blame
    /// @param retryAfterMillis the time after which the peer wants to be called again, where its refusal names one
    void failed(long connection, Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis);

    void done(DeliveryResult result);

    /// The peer closed the connection while it had nothing to do. No failure. A delivery that was just then on its way to it has
    /// a result of its own, later.
    void lost(long connection, String reason);

    /// Unanswered deliveries that keep the connection busy from now on; 1 until the first of these events. More of them wait.
    void depth(long connection, int deliveries);

    /// The peer broke when it was written to ahead of its replies: see `dialog.Pipeline`. Comes before the connection
    /// ends. The next connection to this host is better opened plainly.
    void pipelinesBadly(long connection, String what);
}
