/// How many at once to this destination, and whether at all.
///
/// Knows destinations by what deliveries told of them: [org.slipstream.qmgr.flow.Window] holds the published algorithm,
/// [org.slipstream.qmgr.flow.FeedbackVariant] where today's Postfix differs, [org.slipstream.qmgr.flow.Destination] life, death and
/// pauses. Knows no entries and no connections.
package org.slipstream.qmgr.flow;
