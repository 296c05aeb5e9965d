/// The event stream: what became of each message, as lines in files that programs read at their own pace.
package org.slipstream.events.stream;
