/// The operator's HTTP API on loopback, guarded by a token that only the owner of the home folder can read.
package org.slipstream.admin;
