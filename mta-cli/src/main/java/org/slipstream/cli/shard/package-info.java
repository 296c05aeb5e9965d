/// Commands about shards and the server as a whole: `shard`, `status`, `top`.
package org.slipstream.cli.shard;
