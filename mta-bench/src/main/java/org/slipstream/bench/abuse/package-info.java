/// What bad clients do to a running server, and what honest mail feels of it: [AbuseMain].
package org.slipstream.bench.abuse;
