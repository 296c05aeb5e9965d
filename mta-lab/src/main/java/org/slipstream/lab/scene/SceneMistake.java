package org.slipstream.lab.scene;

/// A mistake in a scenario file, on its way from where it is found to [SceneReader], which makes a
/// value of it.
final class SceneMistake extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// @param sentence with file and line in front and a way out at the end
    SceneMistake(String sentence) {
        super(sentence);
    }
}
