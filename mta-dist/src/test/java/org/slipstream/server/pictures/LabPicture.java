package org.slipstream.server.pictures;

import org.slipstream.lab.scene.Page;
import org.slipstream.lab.scene.SceneReader;
import org.slipstream.lab.scene.SceneReader.Reading;
import org.slipstream.lab.scene.Shelf;
import org.slipstream.lab.scene.Stage;
import org.slipstream.lab.scene.Stage.Played;

import java.util.List;

/// A preemption and the same mail without one:
/// `./mta lab run ten-two-two --compare order=fifo --svg`.
final class LabPicture {
    private static final String SCENE = "ten-two-two";

    private LabPicture() {}

    static String svg() {
        return Page.svg(List.of(played(List.of()), played(List.of("order=fifo"))));
    }

    private static Played played(List<String> changes) {
        String text = Shelf.find(SCENE).orElseThrow();
        return Stage.play(((Reading.Good) SceneReader.read(Shelf.file(SCENE), text, changes)).scene());
    }
}
