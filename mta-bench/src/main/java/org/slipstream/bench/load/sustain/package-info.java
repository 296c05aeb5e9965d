/// The stability of the server while mail passes through it for minutes: [SustainMain].
@NullMarked
package org.slipstream.bench.load.sustain;

import org.jspecify.annotations.NullMarked;
