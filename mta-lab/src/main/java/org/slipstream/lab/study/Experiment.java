package org.slipstream.lab.study;

import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;

/// The conditions of one row of a table: the settings of the client and the model of the server.
///
/// @param cached true when the client keeps connections for the next delivery, false when each
///     delivery has a connection of its own
/// @param recipients of the one message of the experiment
/// @param initialConcurrency the client's first window; its largest is [#CLIENT_LIMIT]
public record Experiment(FeedbackPair feedback, boolean cached, int recipients, int initialConcurrency,
        ServerModel server, AssumedLatencies latencies, FeedbackVariant variant) {
    /// `smtp_destination_concurrency_limit` of all experiments.
    static final int CLIENT_LIMIT = 20;

    /// `smtp_destination_recipient_limit` of all experiments. Two is the smallest limit at which
    /// the window is that of the destination; with 1 each recipient has a window of its own.
    static final int RECIPIENTS_PER_DELIVERY = 2;

    /// The server's `smtpd_client_restrictions = sleep 1`, evaluated at each RCPT.
    static final long RECIPIENT_MILLIS = 1_000;

    static final long CONNECT_TIMEOUT_MILLIS = 30_000;
    static final long GREETING_TIMEOUT_MILLIS = 300_000;

    Experiment(FeedbackPair feedback, boolean cached, int recipients, int initialConcurrency, ServerModel server) {
        this(feedback, cached, recipients, initialConcurrency, server, AssumedLatencies.localNetwork(),
                FeedbackVariant.PSEUDOCODE);
    }

    Experiment with(AssumedLatencies others) {
        return new Experiment(feedback, cached, recipients, initialConcurrency, server, others, variant);
    }

    Experiment with(ServerModel other) {
        return new Experiment(feedback, cached, recipients, initialConcurrency, other, latencies, variant);
    }

    Experiment with(FeedbackVariant other) {
        return new Experiment(feedback, cached, recipients, initialConcurrency, server, latencies, other);
    }

    /// The mean time of a session with one delivery, from the moment at which a process takes it.
    double deliveryMillis() {
        return RECIPIENTS_PER_DELIVERY * RECIPIENT_MILLIS + AssumedLatencies.meanMillis(latencies.greeting())
                + AssumedLatencies.meanMillis(latencies.overhead());
    }

    QmgrConfig config() {
        TransportSettings standard = TransportSettings.defaults();
        TransportSettings smtp = standard.withRecipientsPerDelivery(RECIPIENTS_PER_DELIVERY)
                .withConcurrency(standard.processLimit(), initialConcurrency, CLIENT_LIMIT)
                .withFeedback(feedback.positive, feedback.negative, standard.failedCohortLimit());
        return QmgrConfig.defaults().withTransports(TransportTable.of(smtp)).withFeedback(variant);
    }
}
