/// Shards: several queues in one server (indimail).
package org.slipstream.server.shard;
