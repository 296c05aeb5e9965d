/// The message log: messages and what became of them, in append-only segment files; a large content in a file of its own.
///
/// The log is the commit. Nothing in here knows the index that is made of it.
package org.slipstream.spool.log;
