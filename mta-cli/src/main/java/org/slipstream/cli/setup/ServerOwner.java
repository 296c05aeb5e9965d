package org.slipstream.cli.setup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/// Gives files that root has made to the server's user, who owns the home folder: it could not read
/// keys and logins, which are for their owner only. Links are not followed: the server's user could
/// have made one to a file of root.
final class ServerOwner {
    private static final int DEEPEST = 4;

    private ServerOwner() {}

    /// @param tree a file, or a folder with all that is in it
    static void give(Path home, Path tree) throws IOException {
        if (!Files.exists(home) || !Files.exists(tree)) {
            return;
        }
        PosixFileAttributes server = Files.readAttributes(home, PosixFileAttributes.class);
        List<Path> files;
        try (Stream<Path> all = Files.walk(tree, DEEPEST)) {
            files = all.toList();
        }
        for (Path file : files) {
            PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class,
                    LinkOption.NOFOLLOW_LINKS);
            if (view.getOwner().getName().equals("root") && !server.owner().equals(view.getOwner())) {
                view.setOwner(server.owner());
                view.setGroup(server.group());
            }
        }
    }
}
