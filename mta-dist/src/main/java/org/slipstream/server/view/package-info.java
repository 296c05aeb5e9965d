/// Views of the whole server: counters, recent errors, and waiting mail by age.
package org.slipstream.server.view;
