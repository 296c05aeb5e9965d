/// The keys with which the server signs mail of its domains, as files, and their states.
package org.slipstream.guard.dkim;
