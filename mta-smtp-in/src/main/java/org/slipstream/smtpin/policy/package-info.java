/// The policy of a listener: an ordered list of small checks, each with a name and a reason. The
/// checks here need only the session; checks that ask the DNS or the disk belong to the server and
/// join the same list.
package org.slipstream.smtpin.policy;
