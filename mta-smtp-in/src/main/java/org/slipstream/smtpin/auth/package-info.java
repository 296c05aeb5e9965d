/// How users prove who they are (RFC 4954, RFC 4422): mechanisms as pure exchanges of bytes, the
/// keys they check, and the guard against guessing.
package org.slipstream.smtpin.auth;
