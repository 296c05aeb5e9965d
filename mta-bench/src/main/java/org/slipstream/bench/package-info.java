/// Benchmarks of the parts, with JMH; what they said last is in `docs/performance.md`.
package org.slipstream.bench;
