/// The effect of hostile clients on a running server and on ordinary mail beside them: [AbuseMain].
package org.slipstream.testkit.load.abuse;
