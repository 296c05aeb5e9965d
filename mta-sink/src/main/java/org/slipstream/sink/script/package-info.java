/// Scripts of the sink: what a mail server does at each moment of a session, as data and as a pure
/// function of session, count and time. No clock, no socket and no thread is here, so the simulator
/// follows the same scripts.
package org.slipstream.sink.script;
