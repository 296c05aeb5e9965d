package org.slipstream.qmgr.message;

/// An operator's request for a message in progress. The latest request applies, except that DELETE
/// is final, FLUSH replaces nothing but MOVE, REROUTE replaces only those two, and MOVE replaces
/// nothing.
///
/// REROUTE and RETURN belong to an instruction that is on disk already; the request only brings the
/// message back to the queue, so that its next activation follows the instruction.
public enum OperatorRequest {
    NONE, MOVE, FLUSH, REROUTE, RELEASE, REQUEUE, HOLD, RETURN, DELETE;

    public OperatorRequest then(OperatorRequest later) {
        boolean stays = switch (this) {
            case NONE, MOVE -> false;
            case FLUSH -> later == FLUSH || later == MOVE;
            case DELETE -> true;
            case REROUTE, RELEASE, REQUEUE, HOLD, RETURN -> later == FLUSH || later == REROUTE || later == MOVE;
        };
        return stays ? this : later;
    }
}
