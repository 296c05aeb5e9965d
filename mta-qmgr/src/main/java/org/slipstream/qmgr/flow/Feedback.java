package org.slipstream.qmgr.flow;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The feedback of one delivery, as a function of the window.
///
/// A full point moves the window by one. With a constant of 1 every delivery moves it. With
/// `1/concurrency` a whole window of deliveries is needed, so the window moves once per round trip
/// at any width.
public sealed interface Feedback {
    /// @param window the present window, at least 1
    double of(int window);

    /// `x` or `x/y`: always the same.
    record Fixed(double amount) implements Feedback {
        @Override
        public double of(int window) {
            return amount;
        }
    }

    /// `x/concurrency`.
    record PerConcurrency(double base) implements Feedback {
        @Override
        public double of(int window) {
            return base / window;
        }
    }

    /// `x/sqrt_concurrency`: between the two.
    record PerRootOfConcurrency(double base) implements Feedback {
        @Override
        public double of(int window) {
            return base / Math.sqrt(window);
        }
    }

    Pattern FORM = Pattern
            .compile("\\s*([0-9]*\\.?[0-9]+)\\s*(?:/\\s*(concurrency|sqrt_concurrency|[0-9]*\\.?[0-9]+))?\\s*");

    /// Parses `0.5`, `1/4`, `1/concurrency` or `1/sqrt_concurrency`. Empty for other forms and for
    /// values above 1 (PF-03).
    static Optional<Feedback> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        double base = Double.parseDouble(form.group(1));
        Feedback feedback = switch (form.group(2)) {
            case null -> new Fixed(base);
            case "concurrency" -> new PerConcurrency(base);
            case "sqrt_concurrency" -> new PerRootOfConcurrency(base);
            case String divisor -> new Fixed(base / Double.parseDouble(divisor));
        };
        return feedback.of(1) >= 0 && feedback.of(1) <= 1 ? Optional.of(feedback) : Optional.empty();
    }
}
