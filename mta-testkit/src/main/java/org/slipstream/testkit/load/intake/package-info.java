/// The rate at which the server accepts messages durably, without delivery: [IntakeMain].
package org.slipstream.testkit.load.intake;
