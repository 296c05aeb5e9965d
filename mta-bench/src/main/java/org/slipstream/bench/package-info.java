/// Benchmarks: of the parts, with JMH, and of the packaged server; what they said last is in
/// `docs/performance.md`.
package org.slipstream.bench;
