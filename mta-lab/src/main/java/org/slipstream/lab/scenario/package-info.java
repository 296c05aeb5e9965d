/// Scenario files: a simulated world described by a text file, run in simulated time, with results
/// as text, pictures and figures.
///
/// [org.slipstream.lab.scenario.ScenarioReader] reads a TOML text into a
/// [org.slipstream.lab.scenario.ScenarioFile], or returns a sentence that explains the mistake.
/// [org.slipstream.lab.scenario.ScenarioRunner] runs the file in a [org.slipstream.lab.World], makes
/// a [org.slipstream.picture.RunRecord] and compares it with the expectations of the file.
/// [org.slipstream.lab.scenario.RunText] prints the results and [org.slipstream.lab.scenario.Page]
/// draws them. [org.slipstream.lab.scenario.BundledScenarios] has the scenarios that come with the
/// program.
package org.slipstream.lab.scenario;
