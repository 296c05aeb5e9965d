package org.slipstream.lab.study;

import org.slipstream.qmgr.flow.Feedback;

/// A positive and a negative feedback, with their label in the tables.
///
/// The document compares three feedbacks, each with the same value in both directions. The fourth
/// pair is its recommendation against noise: a fixed step up and 1/N down.
public enum FeedbackPair {
    PER_N("1/N", new Feedback.PerConcurrency(1)), PER_ROOT_OF_N("1/sqrt(N)",
            new Feedback.PerRootOfConcurrency(1)), ONE("1",
                    new Feedback.Fixed(1)), QUARTER("1/4, 1/N", new Feedback.Fixed(0.25),
                            new Feedback.PerConcurrency(1));

    final String label;
    final Feedback positive;
    final Feedback negative;

    FeedbackPair(String label, Feedback feedback) {
        this(label, feedback, feedback);
    }

    FeedbackPair(String label, Feedback positive, Feedback negative) {
        this.label = label;
        this.positive = positive;
        this.negative = negative;
    }

    /// The number of successive good deliveries that widen a window of this size by one.
    int successesPerStep(int window) {
        return (int) Math.ceil(1 / positive.of(window));
    }
}
