/// The cluster with faults: nodes, a PostgreSQL with two standbys and the paths between them as processes
/// that a seeded plan kills, stops and cuts, and a check of the whole history (docs/cluster-faults.md).
package org.slipstream.it.cluster;
