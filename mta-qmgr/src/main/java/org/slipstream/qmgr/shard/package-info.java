/// Many queues, as in indimail: a shard is a message log, its index and a queue manager of its own.
package org.slipstream.qmgr.shard;
