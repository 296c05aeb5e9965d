/// The maildrop: a folder in which programs of this machine leave mail, whether the server runs or
/// not.
package org.slipstream.local.maildrop;
