package org.slipstream.lab.study;

import org.slipstream.qmgr.flow.Feedback;

/// The three feedbacks that the document compares, the same up and down in each, and the compromise
/// that it recommends against noise: a fixed amount up, 1/N down.
public enum FeedbackStyle {
    PER_N("1/N", new Feedback.PerConcurrency(1)), PER_ROOT_OF_N("1/sqrt(N)",
            new Feedback.PerRootOfConcurrency(1)), ONE("1",
                    new Feedback.Fixed(1)), QUARTER("1/4, 1/N", new Feedback.Fixed(0.25),
                            new Feedback.PerConcurrency(1));

    final String label;
    final Feedback positive;
    final Feedback negative;

    FeedbackStyle(String label, Feedback feedback) {
        this(label, feedback, feedback);
    }

    FeedbackStyle(String label, Feedback positive, Feedback negative) {
        this.label = label;
        this.positive = positive;
        this.negative = negative;
    }

    /// Good deliveries without a bad one between them that widen a window of this size by one.
    int goodPerStep(int window) {
        return (int) Math.ceil(1 / positive.of(window));
    }
}
