package org.slipstream.lab.study;

import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.TransportTable;
import org.slipstream.qmgr.flow.FeedbackVariant;

/// One row of a table, as an experiment: the settings of the client and the server that it meets.
///
/// @param recipients of the one message that is sent
/// @param initialConcurrency the client's first window; its largest is [#CLIENT_LIMIT]
/// @param cached connections are kept for the next delivery; otherwise each delivery has one of its
///     own
public record Setup(FeedbackStyle style, boolean cached, int recipients, int initialConcurrency, Door door,
        Habits habits, FeedbackVariant variant) {
    /// `smtp_destination_concurrency_limit` of all experiments.
    static final int CLIENT_LIMIT = 20;

    /// `smtp_destination_recipient_limit` of all experiments: the largest number of deliveries
    /// without a window for each recipient.
    static final int RECIPIENTS_PER_DELIVERY = 2;

    /// The server's `smtpd_client_restrictions = sleep 1`, evaluated at each RCPT.
    static final long RECIPIENT_MILLIS = 1_000;

    static final long CONNECT_TIMEOUT_MILLIS = 30_000;
    static final long GREETING_TIMEOUT_MILLIS = 300_000;

    Setup(FeedbackStyle style, boolean cached, int recipients, int initialConcurrency, Door door) {
        this(style, cached, recipients, initialConcurrency, door, Habits.usual(), FeedbackVariant.PSEUDOCODE);
    }

    Setup with(Habits others) {
        return new Setup(style, cached, recipients, initialConcurrency, door, others, variant);
    }

    Setup with(Door other) {
        return new Setup(style, cached, recipients, initialConcurrency, other, habits, variant);
    }

    Setup with(FeedbackVariant other) {
        return new Setup(style, cached, recipients, initialConcurrency, door, habits, other);
    }

    /// The mean time of a session of one delivery, from the moment at which a process takes it.
    double deliveryMillis() {
        return RECIPIENTS_PER_DELIVERY * RECIPIENT_MILLIS + Habits.meanMillis(habits.greeting())
                + Habits.meanMillis(habits.overhead());
    }

    QmgrConfig config() {
        TransportSettings standard = TransportSettings.defaults();
        TransportSettings smtp = standard.withRecipientsPerDelivery(RECIPIENTS_PER_DELIVERY)
                .withConcurrency(standard.processLimit(), initialConcurrency, CLIENT_LIMIT)
                .withFeedback(style.positive, style.negative, standard.failedCohortLimit());
        return QmgrConfig.defaults().withTransports(TransportTable.of(smtp)).withFeedback(variant);
    }
}
