/// MTA-STS (RFC 8461): the TXT record that announces a policy, and the policy.
package org.slipstream.auth.sts;
