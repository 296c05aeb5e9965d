/// Throughput with the log in files and in PostgreSQL: [StoreMain].
@NullMarked
package org.slipstream.bench.load.store;

import org.jspecify.annotations.NullMarked;
