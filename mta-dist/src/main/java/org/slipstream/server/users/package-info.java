/// Users for authentication: the file of users, their password hashes, and the addresses that they
/// may send from.
package org.slipstream.server.users;
