package org.slipstream.guard.policy;

import org.slipstream.smtpin.policy.Rates;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The memory of the checks about clients, across reloads of the settings.
///
/// Rates whose limits did not change go on counting; others begin again. Greylisting keeps the
/// clients that it knows, whatever changes, because forgetting them would delay honest mail.
public final class PolicyMemory {
    private final Map<String, KeptRates> rates = new HashMap<>();
    private Optional<Greylist> greylist = Optional.empty();

    private record KeptRates(Rates.RateSettings settings, Rates rates) {}

    /// @param of the clients that are counted: the same name has the same counts
    synchronized Rates rates(String of, Rates.RateSettings settings) {
        KeptRates kept = rates.get(of);
        if (kept == null || !kept.settings().equals(settings)) {
            kept = new KeptRates(settings, new Rates(settings, System::nanoTime));
            rates.put(of, kept);
        }
        return kept.rates();
    }

    synchronized Greylist greylist(Greylisting settings) {
        Greylist kept = greylist.map(each -> each.with(settings))
                .orElseGet(() -> new Greylist(settings, () -> System.nanoTime() / 1_000_000));
        greylist = Optional.of(kept);
        return kept;
    }
}
