/// The views and orders of operators: those of one shard, and those of all shards together.
package org.slipstream.server.operate;
