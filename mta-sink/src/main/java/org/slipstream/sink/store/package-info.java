/// What the sink received: messages in memory and in files, and the transcripts of sessions. All of
/// it is bounded.
package org.slipstream.sink.store;
