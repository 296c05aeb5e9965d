/// The effect of hostile clients on a running server and on ordinary mail beside them: [AbuseMain].
@NullMarked
package org.slipstream.bench.load.abuse;

import org.jspecify.annotations.NullMarked;
