/// The laboratory: the queue manager of the server in a simulated world.
module org.slipstream.lab {
    requires transitive org.slipstream.qmgr;
    requires transitive org.slipstream.picture;
    requires transitive org.slipstream.sink;
    requires org.slipstream.settings;
    requires transitive org.slipstream.shaping;
    requires tools.jackson.databind;

    exports org.slipstream.lab;
    exports org.slipstream.lab.film;
    exports org.slipstream.lab.golden;
    exports org.slipstream.lab.journal;
    exports org.slipstream.lab.scenario;
    exports org.slipstream.lab.shaping;
    exports org.slipstream.lab.study;
    exports org.slipstream.lab.world;
}
