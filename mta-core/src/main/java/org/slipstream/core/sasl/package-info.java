/// What a SASL client and a SASL server compute alike: the preparation of names and passwords, and the arithmetic of SCRAM.
package org.slipstream.core.sasl;
