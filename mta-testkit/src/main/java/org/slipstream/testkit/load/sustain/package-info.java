/// The stability of the server while mail passes through it for minutes: [SustainMain].
package org.slipstream.testkit.load.sustain;
