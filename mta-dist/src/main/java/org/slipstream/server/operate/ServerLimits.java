package org.slipstream.server.operate;

import org.slipstream.config.Config;
import org.slipstream.qmgr.place.PlaceRules;

/// The limits of the whole server that views show. A shard knows only its part of them.
///
/// @param connections to other servers
/// @param unproven of these, to hosts without a recent success
/// @param shards with a folder, open and closed
public record ServerLimits(int connections, int unproven, int shards) {
    public static ServerLimits of(Config config, int shards) {
        PlaceRules smtp = config.smtpPlacement();
        return new ServerLimits(smtp.workers(), smtp.mostUnproven(), shards);
    }
}
