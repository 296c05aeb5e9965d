/// Messages between the nodes of a cluster: HTTPS in which both sides prove that they belong to it.
package org.slipstream.cluster.wire;
