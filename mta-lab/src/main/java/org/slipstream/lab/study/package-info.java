/// The three measurements that Postfix's scheduler document publishes about servers that limit
/// concurrency, made again in simulated time.
///
/// A [org.slipstream.lab.study.Study] is a published table. Each of its rows is a
/// [org.slipstream.lab.study.Setup], run several times with different seeds in a
/// [org.slipstream.lab.study.StudyWorld]: the production queue manager, its production windows and
/// lanes, one message with thousands of recipients, and one server behind a
/// [org.slipstream.lab.study.Door]. The results is [org.slipstream.lab.study.Measured] in the way
/// of the document, and [org.slipstream.lab.study.StudyText] prints both side by side.
package org.slipstream.lab.study;
