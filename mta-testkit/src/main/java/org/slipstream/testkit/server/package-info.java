/// The packaged server as a fixture: as a process ([org.slipstream.testkit.server.PackagedServer]),
/// as a JUnit extension ([org.slipstream.testkit.server.Slipstream]) and as a container
/// ([org.slipstream.testkit.server.SlipstreamContainer]).
///
/// A test talks to the server as its clients and operators do: by SMTP, by files and by commands.
@NullMarked
package org.slipstream.testkit.server;

import org.jspecify.annotations.NullMarked;
