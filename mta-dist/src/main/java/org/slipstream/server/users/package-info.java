/// Who may log in: the file of users, what is kept of their passwords, and which addresses are theirs.
package org.slipstream.server.users;
