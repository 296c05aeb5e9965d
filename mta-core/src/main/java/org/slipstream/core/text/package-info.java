/// Forms of text that more than one module reads or writes: encodings of parameters and of content,
/// and hints at misspelled words.
package org.slipstream.core.text;
