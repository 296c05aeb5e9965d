/// Shards: several queues in one server (indimail).
@NullMarked
package org.slipstream.server.shard;

import org.jspecify.annotations.NullMarked;
