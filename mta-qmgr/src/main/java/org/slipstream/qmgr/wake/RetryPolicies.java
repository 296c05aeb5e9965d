package org.slipstream.qmgr.wake;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/// All retry policies of a server by name, and the choice among them: the policy of the
/// destination, else the common one; of that, the policy for the class of error, if it names one.
///
/// A policy that is chosen for a class of errors is used as it is: its own exceptions do not apply,
/// so there is no chain.
public final class RetryPolicies {
    private final SequencedMap<String, RetryClause> byName;
    private final RetryClause common;
    private final long furthestMillis;
    private final long shortestLifetimeMillis;

    private RetryPolicies(SequencedMap<String, RetryClause> byName, RetryClause common,
            Set<RetryClause> used) {
        this.byName = byName;
        this.common = common;
        this.furthestMillis = used.stream().mapToLong(RetryClause::furthestMillis).max().orElseThrow();
        this.shortestLifetimeMillis = used.stream().mapToLong(RetryClause::lifetimeMillis).min().orElseThrow();
    }

    /// @param common the name of the policy for all destinations
    /// @param own the operator's clauses, which may replace those that are built in
    /// @param ofDestinations the names that settings of destinations use
    /// @param minimal first pause of the built-in `postfix`
    /// @param maximal longest pause of the built-in `postfix`
    /// @throws IllegalArgumentException a name has no policy
    public static RetryPolicies of(String common, Map<String, RetrySettings> own, Collection<String> ofDestinations,
            Duration minimal, Duration maximal) {
        SequencedMap<String, RetryClause> all = new LinkedHashMap<>();
        RetrySettings.builtIn().forEach((name, settings) -> all.put(name, settings.clause(name, minimal, maximal)));
        own.forEach((name, settings) -> all.put(name, settings.clause(name, minimal, maximal)));
        for (RetryClause clause : all.values()) {
            clause.others().values().forEach(other -> known(all, other));
        }
        Set<RetryClause> used = new LinkedHashSet<>();
        used.add(known(all, common));
        ofDestinations.forEach(name -> used.add(known(all, name)));
        List.copyOf(used).forEach(clause -> clause.others().values().forEach(name -> used.add(known(all, name))));
        return new RetryPolicies(Collections.unmodifiableSequencedMap(all), known(all, common), used);
    }

    private static RetryClause known(Map<String, RetryClause> all, String name) {
        if (!all.containsKey(name)) {
            throw new IllegalArgumentException("no retry policy " + name);
        }
        return Objects.requireNonNull(all.get(name));
    }

    /// @param destinationPolicy the policy that the settings of the destination name, or named before a
    /// change of settings that took the policy away
    public RetryClause of(Optional<String> destinationPolicy, ErrorClass error) {
        RetryClause clause = destinationPolicy.flatMap(name -> Optional.ofNullable(byName.get(name))).orElse(common);
        return clause.others().containsKey(error)
                ? known(byName, Objects.requireNonNull(clause.others().get(error)))
                : clause;
    }

    /// In the order of the settings, built-in ones first.
    public SequencedMap<String, RetryClause> all() {
        return byName;
    }

    public RetryClause common() {
        return common;
    }

    /// The shortest lifetime of the policies that are in use; `Long.MAX_VALUE` when none has one.
    public long shortestLifetimeMillis() {
        return shortestLifetimeMillis;
    }

    /// The longest pause of the policies that are in use.
    public long furthestMillis() {
        return furthestMillis;
    }
}
