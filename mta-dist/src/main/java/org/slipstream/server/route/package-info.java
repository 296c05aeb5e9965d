/// Where mail for a domain goes: local domains, the table of `mta.toml`, and DNS for what the table leaves to it.
package org.slipstream.server.route;
