package org.slipstream.sink.script;

/// A mistake in a script: one sentence with file, line and a remedy.
public final class ScriptMistake extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ScriptMistake(String sentence) {
        super(sentence);
    }
}
