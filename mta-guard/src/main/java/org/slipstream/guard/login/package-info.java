/// Logins: the file of users or Dovecot as their judge, the addresses that users may send from, and the
/// tokens of the admin API.
package org.slipstream.guard.login;
