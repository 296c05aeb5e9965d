package org.slipstream.local.maildir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// A real disk that records its calls, and on which one step fails.
final class TroubledDisk implements Disk {
    /// Ends a delivery without a chance to clean up.
    static final class PowerCut extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final Disk real = new RealDisk();
    private final int troubledStep;
    private final Supplier<Optional<IOException>> trouble;
    private final Path root;
    final List<String> diary = new ArrayList<>();

    private TroubledDisk(Path root, int troubledStep, Supplier<Optional<IOException>> trouble) {
        this.root = root;
        this.troubledStep = troubledStep;
        this.trouble = trouble;
    }

    static TroubledDisk diaryOnly(Path root) {
        return new TroubledDisk(root, Integer.MAX_VALUE, Optional::empty);
    }

    /// The power fails before step number `step`, counted from 0.
    static TroubledDisk powerCut(Path root, int step) {
        return new TroubledDisk(root, step, () -> {
            throw new PowerCut();
        });
    }

    static TroubledDisk failing(Path root, int step, IOException failure) {
        return new TroubledDisk(root, step, () -> Optional.of(failure));
    }

    private void step(String what, Path where) throws IOException {
        if (diary.size() == troubledStep) {
            diary.add("trouble");
            Optional<IOException> failure = trouble.get();
            if (failure.isPresent()) {
                throw failure.get();
            }
        }
        String name = root.relativize(where).toString();
        diary.add(what + " " + (name.contains("Q") ? name.substring(0, name.lastIndexOf('/')) + "/N" : name));
    }

    @Override
    public void makeFolder(Path folder) throws IOException {
        step("make", folder);
        real.makeFolder(folder);
    }

    @Override
    public Output create(Path file) throws IOException {
        step("create", file);
        Output out = real.create(file);
        return new Output() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[]{(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                // Half of a write reaches the disk before the failure.
                out.write(bytes, offset, length / 2);
                step("write", file);
                out.write(bytes, offset + length / 2, length - length / 2);
            }

            @Override
            void force() throws IOException {
                step("force", file);
                out.force();
            }

            @Override
            public void close() throws IOException {
                out.close();
            }
        };
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        step("rename to", to);
        real.rename(from, to);
    }

    @Override
    public void forceFolder(Path folder) throws IOException {
        step("force", folder);
        real.forceFolder(folder);
    }

    @Override
    public void delete(Path file) throws IOException {
        step("delete", file);
        real.delete(file);
    }
}
