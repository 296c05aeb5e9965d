/// The nouns that more than one room of the house speaks of: addresses, the envelope, replies, outcomes, routes.
///
/// Nothing here has a thread, a clock, a file or a socket. A type moves in when two modules speak of it, and no earlier.
package org.slipstream.core;
