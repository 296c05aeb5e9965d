package org.slipstream.qmgr;

/// An operator's request for a message in progress. The latest request applies, except that DELETE
/// is final and FLUSH replaces nothing.
enum OperatorRequest {
    NONE, FLUSH, RELEASE, HOLD, DELETE;

    OperatorRequest then(OperatorRequest later) {
        if (this == DELETE || later == FLUSH && this != NONE) {
            return this;
        }
        return later;
    }
}
