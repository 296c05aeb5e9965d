/// Manual pages.
package org.slipstream.server.manual;
