/// The nouns that more than one module uses: addresses, the envelope, replies, outcomes, routes.
///
/// Nothing here has a thread, a clock, a file or a socket. A type moves in when two modules need it, and no earlier. A function that two
/// modules compute alike stands in a package of its field: [org.slipstream.core.sasl], [org.slipstream.core.text].
package org.slipstream.core;
