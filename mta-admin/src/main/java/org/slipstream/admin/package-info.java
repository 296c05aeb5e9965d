/// The admin API: HTTP on a UNIX domain socket that only the owner of the home folder can open.
package org.slipstream.admin;
