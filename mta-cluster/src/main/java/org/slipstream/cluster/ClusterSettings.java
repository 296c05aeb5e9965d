package org.slipstream.cluster;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.util.Optional;

/// The section `[cluster]`: this server as one of several over one database (docs/cluster.md).
///
/// @param node empty: this server is alone
@SettingsSection(value = "cluster", restart = "the server took its place in the cluster")
public record ClusterSettings(
        @Setting(value = "", form = "node-name",
                doc = "Name of this server among those that share the database of `spool.database`, such as `a`."
                        + " Letters, digits, `-` and `.`, at most 64; each server has another one. Empty: this"
                        + " server is alone.") Optional<String> node) {}
