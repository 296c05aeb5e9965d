package org.slipstream.settings;

/// A mistake in a file that is read table by table: one sentence with file, line and a remedy.
public final class TomlMistake extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TomlMistake(String sentence) {
        super(sentence);
    }
}
