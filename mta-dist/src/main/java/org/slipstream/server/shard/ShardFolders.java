package org.slipstream.server.shard;

import org.slipstream.config.ShardSettings;
import org.slipstream.config.ShardStore;
import org.slipstream.config.StoredShard;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/// The folders of shards on disk, compared with the file of shards.
final class ShardFolders {
    private final ShardSettings settings;
    private final Path spool;

    /// @param spool the folder of the spool
    ShardFolders(ShardSettings settings, Path spool) {
        this.settings = settings;
        this.spool = spool;
    }

    /// Requires the folder of each shard that has been open before. A missing one is usually a disk
    /// that is not mounted; an empty shard in its place would hide its mail.
    void require(List<StoredShard> stored) throws IOException {
        for (StoredShard shard : stored) {
            if (!shard.closed() && shard.number() != 1 && Files.notExists(shard.folder())) {
                throw new IOException("the folder " + shard.folder() + " of shard " + shard.number()
                        + " is missing: put it back (is its disk mounted?), or give its mail up and remove the shard"
                        + " from the file \"" + ShardStore.NAME + "\" of the home folder");
            }
        }
    }

    /// Spools that are named as those of shards and belong to none of these. The file of shards was
    /// lost, or a folder was copied here.
    List<Path> unknown(List<StoredShard> known) throws IOException {
        Set<Path> places = new LinkedHashSet<>(settings.folders());
        places.add(Objects.requireNonNullElse(spool.toAbsolutePath().getParent(), spool));
        List<Path> unknown = new ArrayList<>();
        for (Path place : places) {
            if (Files.isDirectory(place)) {
                try (DirectoryStream<Path> named = Files.newDirectoryStream(place, this::isNamedAsAShard)) {
                    named.forEach(unknown::add);
                }
            }
        }
        unknown.removeAll(known.stream().map(StoredShard::folder).collect(Collectors.toSet()));
        unknown.sort(Comparator.naturalOrder());
        return unknown;
    }

    private boolean isNamedAsAShard(Path folder) {
        String base = spool.getFileName() + "-";
        String name = String.valueOf(folder.getFileName());
        return name.startsWith(base) && name.substring(base.length()).matches("[1-9][0-9]?")
                && Files.exists(folder.resolve("version"));
    }
}
