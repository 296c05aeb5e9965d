/// The header by which a proxy states the client's address (PROXY protocol, versions 1 and 2).
/// Pure.
package org.slipstream.smtpin.proxy;
