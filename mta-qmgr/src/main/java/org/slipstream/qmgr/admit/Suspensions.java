package org.slipstream.qmgr.admit;

import org.slipstream.core.Address;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.sched.DestinationQueue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/// The suspensions in force, and the mail that they concern. One name has one suspension at most,
/// and a suspension ends at its time without an event.
///
/// They are few, because people order them. So each recipient is compared with each suspension, and
/// without any the cost is one test.
public final class Suspensions {
    private static final Comparator<Suspension> BY_END = Comparator.comparingLong(Suspension::untilMillis);

    private final Function<DestinationQueue, Optional<String>> provider;
    private final List<Suspension> current = new ArrayList<>();
    private Optional<Suspension> freeze = Optional.empty();

    /// @param provider of a destination; empty when its hosts belong to none
    public Suspensions(Function<DestinationQueue, Optional<String>> provider) {
        this.provider = provider;
    }

    // ---- orders

    /// Puts a suspension into force. The result is the one of the same name that it replaces.
    public Optional<Suspension> put(Suspension suspension) {
        Optional<Suspension> before = remove(suspension.scope(), suspension.name());
        if (suspension.scope() == SuspensionScope.EVERYTHING) {
            freeze = Optional.of(suspension);
        } else {
            current.add(suspension);
        }
        return before;
    }

    /// Ends a suspension; empty when there is none of this name.
    public Optional<Suspension> remove(SuspensionScope scope, String name) {
        Optional<Suspension> found = all().stream().filter(each -> each.isOf(scope, name)).findFirst();
        found.ifPresent(this::remove);
        return found;
    }

    private void remove(Suspension suspension) {
        current.remove(suspension);
        freeze = freeze.filter(each -> !each.equals(suspension));
    }

    // ---- time

    /// Ends the suspensions whose time has come.
    public void timePasses(long nowMillis) {
        if (nextMillis() <= nowMillis) {
            all().stream().filter(each -> each.untilMillis() <= nowMillis).forEach(this::remove);
        }
    }

    /// The time at which the next suspension ends.
    public long nextMillis() {
        return all().stream().mapToLong(Suspension::untilMillis).min().orElse(Long.MAX_VALUE);
    }

    // ---- questions

    /// All in force, the freeze first.
    public List<Suspension> all() {
        if (current.isEmpty() && freeze.isEmpty()) {
            return List.of();
        }
        List<Suspension> all = new ArrayList<>(freeze.stream().toList());
        all.addAll(current);
        return Collections.unmodifiableList(all);
    }

    /// The freeze; empty while deliveries run.
    public Optional<Suspension> freeze() {
        return freeze;
    }

    /// The suspension that concerns a recipient; of several, the one that ends last.
    public Optional<Suspension> of(Optional<Address> sender, DestinationQueue queue, Address recipient) {
        return current.isEmpty()
                ? Optional.empty()
                : current.stream().filter(each -> covers(each, queue) || each.concerns(sender, recipient)).max(BY_END);
    }

    private boolean covers(Suspension suspension, DestinationQueue queue) {
        String name = suspension.name();
        return switch (suspension.scope()) {
            case DESTINATION -> queue.key().toLowerCase(Locale.ROOT).equals(name)
                    || queue.route().nextHop().toLowerCase(Locale.ROOT).equals(name)
                    || Route.shared(queue.route().nextHop()).toLowerCase(Locale.ROOT).equals(name);
            case PROVIDER -> provider.apply(queue).filter(name::equals).isPresent();
            case TRANSPORT -> queue.transport().equals(name);
            case SENDER, EVERYTHING -> false;
        };
    }
}
