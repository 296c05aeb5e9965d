package org.slipstream.bench.load.abuse;

import java.net.InetSocketAddress;
import java.nio.file.Path;

/// The ports of the server that is attacked, and its home folder.
record Target(InetSocketAddress smtp, InetSocketAddress submission, Path home) {}
