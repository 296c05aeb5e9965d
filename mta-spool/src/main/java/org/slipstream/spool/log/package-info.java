/// The message log: messages and their later changes, in append-only segment files; large content
/// in files of its own.
///
/// The log is the commit. This package does not know the index that is made from it.
package org.slipstream.spool.log;
