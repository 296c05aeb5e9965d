/// Who may use the door: an ordered list of small checks, each with a name and a reason. Here are the ones that need nothing but
/// the session; those that ask the DNS or the disk are the house's and join the same list.
package org.slipstream.smtpin.policy;
