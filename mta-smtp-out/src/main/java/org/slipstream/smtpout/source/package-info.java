/// The sources of outgoing connections: which pool mail has, which source of it a message gets, and how much a
/// new address may send. All pure.
package org.slipstream.smtpout.source;
