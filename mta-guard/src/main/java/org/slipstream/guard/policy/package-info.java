/// The policy of `[policy]`: the checks that need DNS or a memory, and the ordered list of all
/// checks. Checks that need only the session are in `smtpin.policy`.
package org.slipstream.guard.policy;
