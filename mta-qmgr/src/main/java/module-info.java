import org.jspecify.annotations.NullMarked;

/// The queue manager: it decides which delivery is next, how many run at once, and when a message
/// is tried again.
@NullMarked module org.slipstream.qmgr {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires org.slf4j;
    requires tools.jackson.core;

    exports org.slipstream.qmgr;
    exports org.slipstream.qmgr.event;
    exports org.slipstream.qmgr.flow;
    exports org.slipstream.qmgr.journal;
    exports org.slipstream.qmgr.journal.file;
    exports org.slipstream.qmgr.place;
    exports org.slipstream.qmgr.run;
    exports org.slipstream.qmgr.sched;
    exports org.slipstream.qmgr.settings;
    exports org.slipstream.qmgr.shard;
    exports org.slipstream.qmgr.trace;
    exports org.slipstream.qmgr.wake;
}
