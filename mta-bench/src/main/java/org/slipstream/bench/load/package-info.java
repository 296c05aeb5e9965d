/// Programs that load the packaged server through its sockets and print what they measure. Each
/// needs a built package and runs for minutes; none of them is a test.
@NullMarked
package org.slipstream.bench.load;

import org.jspecify.annotations.NullMarked;
