/// A run as a film: the state of the queue manager at regular moments of an interval, whether the run
/// is that of a journal or a simulated one.
package org.slipstream.lab.film;
