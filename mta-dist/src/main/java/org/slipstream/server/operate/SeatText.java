package org.slipstream.server.operate;

import org.slipstream.admin.operations.Operations.PassedOverView;
import org.slipstream.admin.operations.Operations.SeatView;
import org.slipstream.qmgr.place.Candidate;
import org.slipstream.qmgr.place.Seat;

import java.util.Optional;

/// The placement's choice as text for operators.
final class SeatText {
    private SeatText() {}

    static SeatView of(Seat seat) {
        return new SeatView(host(seat).map(Candidate::toString).orElse(""), reason(seat), seat.passedOver().stream()
                .map(passed -> new PassedOverView(passed.host().toString(), passed.why())).toList());
    }

    private static Optional<Candidate> host(Seat seat) {
        return switch (seat) {
            case Seat.Queue queue -> Optional.of(queue.host());
            case Seat.Reuse reuse -> Optional.of(reuse.host());
            case Seat.Open open -> Optional.of(open.host());
            case Seat.Wait _,Seat.Defer _ -> Optional.empty();
        };
    }

    private static String reason(Seat seat) {
        return switch (seat) {
            case Seat.Queue queue -> "queued on connection " + queue.connection() + ": " + queue.reason();
            case Seat.Open open -> "new connection: " + open.reason();
            case Seat.Reuse _,Seat.Wait _,Seat.Defer _ -> seat.reason();
        };
    }
}
