/// Types that more than one module uses: addresses, the envelope, replies, outcomes, routes.
///
/// Nothing here has a thread, a clock, a file or a socket. A type moves here when a second module
/// needs it, and no earlier. Functions that two modules share are in packages by field:
/// [org.slipstream.core.dns], [org.slipstream.core.sasl], [org.slipstream.core.text].
package org.slipstream.core;
