/// Scenario files: a world described by a text, run in simulated time, with its results as text,
/// pictures and figures.
///
/// [org.slipstream.lab.scene.SceneReader] turns a TOML text into a [org.slipstream.lab.scene.Scene]
/// or into a sentence that says what is wrong with it. [org.slipstream.lab.scene.Stage] runs it in
/// a [org.slipstream.lab.World], records its [org.slipstream.lab.scene.Course] and compares that
/// with what the file expects. The results are printed by [org.slipstream.lab.scene.SceneText] and
/// drawn by [org.slipstream.lab.scene.Page]. The scenarios that come with the program stand on the
/// [org.slipstream.lab.scene.Shelf].
package org.slipstream.lab.scene;
