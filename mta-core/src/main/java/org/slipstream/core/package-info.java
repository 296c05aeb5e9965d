/// Types that more than one module uses: addresses, the envelope, replies, outcomes, routes.
///
/// Nothing here has a thread, a clock, a file or a socket. A type moves here when a second module
/// needs it, and no earlier.
package org.slipstream.core;
