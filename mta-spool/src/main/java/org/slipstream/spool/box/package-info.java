/// The box: letters with their envelopes, in append-only segment files; a large letter in a file of its own.
///
/// Nothing in here knows the register. The writer thread tells the box which letters are still named ([LetterBox#entered],
/// [LetterBox#released]), and the box throws segments away when nobody names anything in them.
package org.slipstream.spool.box;
