package org.slipstream.qmgr;

/// What an operator wants of a message that is busy at the moment; the last word counts, but deletion is final and a flush
/// gives way to everything.
enum OperatorRequest {
    NONE, FLUSH, RELEASE, HOLD, DELETE;

    OperatorRequest then(OperatorRequest later) {
        if (this == DELETE || later == FLUSH && this != NONE) {
            return this;
        }
        return later;
    }
}
