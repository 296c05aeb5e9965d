/// The two files by which the command line finds a running server: `run/admin.port` and `run/admin.token`.
package org.slipstream.dist.admin;
