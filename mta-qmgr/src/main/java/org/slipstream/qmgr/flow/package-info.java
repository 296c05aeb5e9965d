/// Concurrency and state of destinations: how many deliveries run at once, and whether any may.
///
/// [org.slipstream.qmgr.flow.Window] holds the published algorithm,
/// [org.slipstream.qmgr.flow.FeedbackVariant] the differences of today's Postfix,
/// [org.slipstream.qmgr.flow.Destination] the states live, dead and suspended. The package depends
/// on neither entries nor connections.
package org.slipstream.qmgr.flow;
