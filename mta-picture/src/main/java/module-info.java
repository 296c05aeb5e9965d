import org.jspecify.annotations.NullMarked;

/// Drawings of the queue manager: snapshots as SVG.
@NullMarked module org.slipstream.picture {
    requires static org.jspecify;
    requires transitive org.slipstream.core;

    exports org.slipstream.picture;
}
