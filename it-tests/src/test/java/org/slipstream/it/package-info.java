/// The packaged program as its users meet it. Every test starts real processes; none sees a class
/// of ours.
package org.slipstream.it;
