/// Scenario files: a world told as a text, played, and shown.
///
/// [org.slipstream.lab.scene.SceneReader] turns a TOML text into a [org.slipstream.lab.scene.Scene] or into a sentence that says
/// what is wrong with it. [org.slipstream.lab.scene.Stage] plays it in a [org.slipstream.lab.World], writes down its
/// [org.slipstream.lab.scene.Course] and compares that with what the file expects. What came of it is told by
/// [org.slipstream.lab.scene.SceneText] and drawn by [org.slipstream.lab.scene.Page]. The scenarios that come with the program stand on
/// the [org.slipstream.lab.scene.Shelf].
package org.slipstream.lab.scene;
