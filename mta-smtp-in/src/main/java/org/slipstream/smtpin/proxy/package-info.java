/// The header by which a proxy in front of us says whom it speaks for (PROXY protocol, versions 1 and 2). Pure.
package org.slipstream.smtpin.proxy;
