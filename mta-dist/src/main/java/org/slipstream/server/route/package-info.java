/// Routing: local domains, the table of `mta.toml`, and DNS for the other domains.
package org.slipstream.server.route;
