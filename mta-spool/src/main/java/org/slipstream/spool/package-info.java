/// Box and register: *the letter, with its address, goes into the box, then into the register; after a fire, enter what
/// the box has and the register has not; throw away a box when the register names nothing in it.*
package org.slipstream.spool;
