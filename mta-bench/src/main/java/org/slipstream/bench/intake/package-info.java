/// How fast letters are taken in, durably and without delivery: [IntakeMain].
package org.slipstream.bench.intake;
