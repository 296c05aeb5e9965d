package org.slipstream.bench.abuse;

import java.net.InetSocketAddress;

/// The ports of the server that is attacked.
record Target(InetSocketAddress smtp, InetSocketAddress submission) {}
