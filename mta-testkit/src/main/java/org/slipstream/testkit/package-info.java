/// The peers that tests meet: an SMTP sink that misbehaves on request, an SMTP client, a stub DNS
/// server and a simulated clock.
///
/// Every peer binds to a free port of the loopback interface and records what it receives. A peer
/// knows nothing of the servers and clients under test, so it cannot share their faults.
@NullMarked
package org.slipstream.testkit;

import org.jspecify.annotations.NullMarked;
