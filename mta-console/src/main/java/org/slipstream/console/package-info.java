/// The console: the views and orders of the API as pages.
///
/// [org.slipstream.console.ConsoleServer] speaks HTTP and knows who the visitor is. A page asks the
/// API ([org.slipstream.console.Asking]), with the right of the visitor, and fills a template. No
/// page needs a script; with one, its first part is exchanged each second
/// ([org.slipstream.console.LivePages]).
///
/// Each text of a page comes from a template, which escapes it: senders, subjects, replies and names
/// of hosts are written by strangers.
package org.slipstream.console;
