/// The import of a configuration of Postfix: its files, the table of its names, and the translation.
package org.slipstream.config.postfix;
