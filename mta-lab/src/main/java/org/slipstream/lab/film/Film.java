package org.slipstream.lab.film;

import java.util.List;

/// The frames of an interval, one for each of its moments from the first one on. The run may end
/// before the interval does; then the last frames are missing.
public record Film(FilmInterval interval, List<Frame> frames) {
    public Film {
        frames = List.copyOf(frames);
    }

    public boolean isComplete() {
        return frames.size() > interval.steps();
    }

    /// The frame of this step, or the last one before.
    public Frame frame(int step) {
        return frames.get(Math.clamp(step, 0, frames.size() - 1));
    }
}
