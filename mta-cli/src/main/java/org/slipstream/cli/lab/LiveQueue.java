package org.slipstream.cli.lab;

import org.slipstream.admin.operations.Operations.DestinationView;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.RecipientView;

import java.util.List;
import java.util.Optional;

/// The queue of a running server at one moment, as far as a forecast needs it. `--save` writes it
/// as JSON, without further personal data than addresses.
///
/// @param taken ISO 8601 in UTC
public record LiveQueue(String taken, List<LiveMessage> messages, List<LiveDestination> destinations) {
    public LiveQueue {
        messages = List.copyOf(messages);
        destinations = List.copyOf(destinations);
    }

    /// The queue as the API of the server shows it.
    public static LiveQueue of(String taken, List<MessageView> messages, List<DestinationView> destinations) {
        return new LiveQueue(taken,
                messages.stream()
                        .map(view -> new LiveMessage(view.id(), view.sender(), view.state(), view.nextAttempt(),
                                view.recipients().stream().filter(each -> each.state().equals("open"))
                                        .map(RecipientView::address).toList()))
                        .toList(),
                destinations.stream()
                        .map(each -> new LiveDestination(each.transport(), each.nextHop(), each.meanMillis()))
                        .toList());
    }

    /// @param state `active`, `deferred`, `held`
    /// @param nextAttempt ISO 8601 in UTC; empty when there is no such time
    /// @param recipients addresses without an outcome
    public record LiveMessage(String id, String sender, String state, String nextAttempt, List<String> recipients) {
        public LiveMessage {
            recipients = List.copyOf(recipients);
        }
    }

    /// @param meanMillis smoothed duration of a delivery; absent when none was measured
    public record LiveDestination(String transport, String nextHop, Optional<Long> meanMillis) {}
}
