/// What follows DATA, as bytes: where it ends, what its header holds, how fast it comes. Pure.
package org.slipstream.smtpin.data;
