package org.slipstream.lab.study;

import org.slipstream.qmgr.flow.Feedback;

/// The three feedbacks that the document compares. Positive and negative feedback are the same in each.
public enum FeedbackStyle {
    PER_N("1/N", new Feedback.PerConcurrency(1)), PER_ROOT_OF_N("1/sqrt(N)",
            new Feedback.PerRootOfConcurrency(1)), ONE("1", new Feedback.Fixed(1));

    final String label;
    final Feedback feedback;

    FeedbackStyle(String label, Feedback feedback) {
        this.label = label;
        this.feedback = feedback;
    }

    /// Good deliveries that open a limiter's window by one, once it stands at the limit.
    int goodPerRefusal(int limit) {
        return (int) Math.ceil(1 / feedback.of(limit));
    }
}
