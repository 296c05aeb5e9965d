/// Joins the two halves of the brain. `mta-qmgr` knows who is next and how many may go, `smtpout.place` knows where; neither
/// knows the other. [org.slipstream.brain.PlacementSeating] speaks both languages.
///
/// Pure, like the halves: no clock, no chance of its own, no thread.
package org.slipstream.brain;
