/// Alarms that do not need the mail queue: a command, a web hook.
package org.slipstream.monitor.alarm;
