/// The measurements of servers that limit concurrency, as Postfix's scheduler document publishes
/// them, repeated in simulated time.
///
/// A [org.slipstream.lab.study.Study] is a published table. Each row is an
/// [org.slipstream.lab.study.Experiment], run several times with different seeds in a
/// [org.slipstream.lab.study.StudySimulation]. The simulation has the production queue manager with
/// its windows, one message with thousands of recipients, and one server by its
/// [org.slipstream.lab.study.ServerModel]. A [org.slipstream.lab.study.Measurement] has the figures
/// that the document has, and [org.slipstream.lab.study.StudyText] prints both side by side.
package org.slipstream.lab.study;
