/// Whose mail is taken, as `[policy]` says: the checks that need DNS or a memory, and the list in which all stand in their order.
/// Checks that need nothing but the session are `smtpin.policy`'s.
package org.slipstream.server.policy;
