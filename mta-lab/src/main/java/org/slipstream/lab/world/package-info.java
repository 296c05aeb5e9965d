/// The file of a failed world: read, and drawn as a page. The worlds themselves are those of mta-world, which
/// the package of the program does not contain.
package org.slipstream.lab.world;
