/// The packaged program as its users meet it. Every test starts real processes; none uses a class
/// of the program.
package org.slipstream.it;
