/// The computations that a SASL client and a SASL server share: the preparation of names and
/// passwords, and the arithmetic of SCRAM.
package org.slipstream.core.sasl;
