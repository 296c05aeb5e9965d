/// The rate at which the server accepts messages durably, without delivery: [IntakeMain].
@NullMarked
package org.slipstream.bench.load.intake;

import org.jspecify.annotations.NullMarked;
