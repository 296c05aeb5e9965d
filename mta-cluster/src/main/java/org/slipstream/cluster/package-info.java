/// Which node of a cluster owns which shard.
package org.slipstream.cluster;
