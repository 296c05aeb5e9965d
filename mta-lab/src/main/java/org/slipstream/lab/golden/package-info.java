/// The queue manager against traces of the running original.
///
/// [org.slipstream.lab.golden.Golden] reads files of the format `mta-golden/1`, lets the real queue
/// manager live through each of them in virtual time, and compares what it decided row by row.
package org.slipstream.lab.golden;
