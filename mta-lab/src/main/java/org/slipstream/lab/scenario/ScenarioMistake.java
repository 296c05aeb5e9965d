package org.slipstream.lab.scenario;

/// A mistake in a scenario file. [ScenarioReader] catches it and returns its sentence.
final class ScenarioMistake extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// @param sentence that begins with file and line and ends with a remedy
    ScenarioMistake(String sentence) {
        super(sentence);
    }
}
