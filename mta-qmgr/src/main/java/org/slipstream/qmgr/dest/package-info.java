/// The destinations: their rules, rings and timers, and the lanes that shards share.
package org.slipstream.qmgr.dest;
