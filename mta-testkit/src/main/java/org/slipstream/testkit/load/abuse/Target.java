package org.slipstream.testkit.load.abuse;

import java.net.InetSocketAddress;

/// The ports of the server that is attacked.
record Target(InetSocketAddress smtp, InetSocketAddress submission) {}
