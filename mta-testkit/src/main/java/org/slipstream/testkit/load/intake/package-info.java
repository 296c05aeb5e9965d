/// The rate at which the server accepts messages durably, without delivery: [IntakeMain].
@NullMarked
package org.slipstream.testkit.load.intake;

import org.jspecify.annotations.NullMarked;
