/// The data phase as bytes: end of data, header, rate. Pure.
package org.slipstream.smtpin.data;
