package org.slipstream.qmgr;

/// An operator's request for a message in progress. The latest request applies, except that DELETE
/// is final, FLUSH replaces nothing, and REROUTE replaces only FLUSH.
///
/// REROUTE and RETURN belong to an instruction that is on disk already; the request only brings the
/// message back to the queue, so that its next activation follows the instruction.
enum OperatorRequest {
    NONE, FLUSH, REROUTE, RELEASE, REQUEUE, HOLD, RETURN, DELETE;

    OperatorRequest then(OperatorRequest later) {
        boolean stays = switch (this) {
            case NONE -> false;
            case FLUSH -> later == FLUSH;
            case DELETE -> true;
            case REROUTE, RELEASE, REQUEUE, HOLD, RETURN -> later == FLUSH || later == REROUTE;
        };
        return stays ? this : later;
    }
}
