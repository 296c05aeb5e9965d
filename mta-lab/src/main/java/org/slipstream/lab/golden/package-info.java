/// Golden traces: the queue manager compared with recorded runs of Postfix.
///
/// [org.slipstream.lab.golden.GoldenTraces] reads files of the format `mta-golden/1` and runs the
/// production queue manager through each of them in simulated time. It compares the decisions row by
/// row.
package org.slipstream.lab.golden;
