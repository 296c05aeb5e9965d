/// Benchmarks with JMH. The last results are in `docs/performance.md`.
package org.slipstream.bench;
