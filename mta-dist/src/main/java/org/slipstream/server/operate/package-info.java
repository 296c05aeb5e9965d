/// What operators see and order: the views and orders of one shard, and of all shards together.
package org.slipstream.server.operate;
