/// Snapshots as SVG. Everything here is pure: the same record gives the same octets, and no class
/// reads a clock, a file of the server or a socket.
///
/// The lab, the docs and the console draw with these classes. A drawing gets numbers and names, and
/// escapes each text, since a name may come from a stranger.
package org.slipstream.picture;
