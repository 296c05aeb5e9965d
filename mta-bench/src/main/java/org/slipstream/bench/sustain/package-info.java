/// Whether the packaged server stays as it is while mail passes through it for minutes: [SustainMain].
package org.slipstream.bench.sustain;
