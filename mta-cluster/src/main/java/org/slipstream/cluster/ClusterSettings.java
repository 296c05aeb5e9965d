package org.slipstream.cluster;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/// The section `[cluster]`: this server as one of several over one database (docs/cluster.md).
///
/// @param node empty: this server is alone
@SettingsSection(value = "cluster", restart = "the server took its place in the cluster")
public record ClusterSettings(
        @Setting(value = "", form = "node-name",
                doc = "Name of this server among those that share the database of `spool.database`, such as `a`."
                        + " Letters, digits, `-` and `.`, at most 64; each server has another one. Empty: this"
                        + " server is alone.") Optional<String> node,
        @Setting(value = "",
                doc = "Address and port for messages of the other nodes, at which they reach this one, such as"
                        + " `10.0.0.1:2526`. Empty: this node does not talk to others, and the limits of destinations hold for"
                        + " each node alone.") Optional<InetSocketAddress> listen,
        @Setting(value = "", doc = "File in PEM with a certificate and its private key, the same for all nodes. A peer"
                + " without the key is refused. Needed with `cluster.listen`.") Optional<Path> identity) {}
