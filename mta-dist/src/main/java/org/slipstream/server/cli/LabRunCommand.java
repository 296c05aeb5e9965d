package org.slipstream.server.cli;

import org.slipstream.lab.SimulationStoppedException;
import org.slipstream.lab.scene.Page;
import org.slipstream.lab.scene.Scene;
import org.slipstream.lab.scene.SceneReader;
import org.slipstream.lab.scene.SceneReader.Reading;
import org.slipstream.lab.scene.SceneText;
import org.slipstream.lab.scene.Shelf;
import org.slipstream.lab.scene.Stage;
import org.slipstream.lab.scene.Stage.Played;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;

/// `lab run`: a scenario file, played in simulated time.
@Command(name = "run", mixinStandardHelpOptions = true, versionProvider = Version.class, header = "Plays a scenario file and prints what went when.", descriptionHeading = "%n", description = {
        "Prints whose entries were delivered in which order, a table of messages and one of destinations. The same file"
                + " gives the same output, byte for byte. What the file expects of its run is checked."}, optionListHeading = "%nOptions:%n", parameterListHeading = "%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                        Exit.DONE_TEXT, " 1:the run is not as the file expects, or was stopped by an impossible event",
                        Exit.USAGE_TEXT,
                        " 3:the scenario makes no sense"}, footerHeading = "%nExamples:%n", footer = {
                                "  ./mta lab list                            scenarios that come with the program",
                                "  ./mta lab run ten-two-two",
                                "  ./mta lab run mine.toml --events --html mine.html"})
final class LabRunCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "a scenario file, or the name of one that comes with the program")
    private String file;

    @Option(names = "--events", description = "first a line for each thing that happens")
    private boolean events;

    @Option(names = "--html", paramLabel = "OUT", description = "also draw it: a page of its own, without anything from elsewhere")
    private Optional<Path> html = Optional.empty();

    private final MtaCommand mta;

    LabRunCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        PrintStream out = mta.world().out();
        Played played = play(scene(), out);
        SceneText.lines(played).forEach(out::println);
        html.ifPresent(path -> write(path, Page.of(played)));
        return played.isAsExpected() ? Exit.DONE : Exit.NO;
    }

    private Played play(Scene scene, PrintStream out) {
        try {
            Played played = events ? Stage.play(scene, out::println) : Stage.play(scene);
            if (events) {
                out.println();
            }
            return played;
        } catch (SimulationStoppedException stopped) {
            throw new CommandFailure(Exit.NO, scene.file() + ": the simulation stopped: " + stopped.getMessage(),
                    stopped);
        }
    }

    private Scene scene() {
        return switch (reading()) {
            case Reading.Good(Scene scene) -> scene;
            case Reading.Bad(String sentence) -> throw new CommandFailure(Exit.CONFIGURATION, sentence);
        };
    }

    private Reading reading() {
        Path path = Path.of(file);
        try {
            if (Files.isRegularFile(path)) {
                return SceneReader.read(file, Files.readString(path));
            }
        } catch (IOException e) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot read " + file + ": " + e.getMessage(), e);
        }
        return Shelf.find(file).map(text -> SceneReader.read(Shelf.file(file), text))
                .orElseThrow(() -> new CommandFailure(Exit.USAGE, "mta: there is no file " + file
                        + ", and no scenario of that name comes with the program (see mta lab list)"));
    }

    private static void write(Path path, String text) {
        try {
            Files.writeString(path, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot write " + path + ": " + e.getMessage(), e);
        }
    }
}
