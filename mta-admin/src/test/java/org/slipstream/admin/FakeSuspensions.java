package org.slipstream.admin;

import org.slipstream.admin.operations.SuspensionOperations;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Suspensions in memory.
class FakeSuspensions implements SuspensionOperations {
    final List<Suspension> current = new ArrayList<>();

    @Override
    public List<SuspensionView> suspensions() {
        return current.stream().map(SuspensionView::of).toList();
    }

    @Override
    public Optional<String> refusal(SuspensionScope scope, String name) {
        return Optional.of("no such transport: " + name)
                .filter(_ -> scope == SuspensionScope.TRANSPORT && !name.equals("smtp"));
    }

    @Override
    public void suspend(Suspension suspension) {
        current.add(suspension);
    }

    @Override
    public boolean resume(SuspensionScope scope, String name) {
        return current.removeIf(each -> each.isOf(scope, name));
    }
}
