package org.slipstream.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Connections over TCP on this machine, as the kernel tells (proc(5)).
final class OpenPorts {
    private static final String ESTABLISHED = "01";

    private OpenPorts() {}

    private record Connection(int localPort, int remotePort, String state, String inode) {
        static Connection of(String[] word) {
            return new Connection(port(word[1]), port(word[2]), word[3], word[9]);
        }

        private static int port(String address) {
            return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
        }
    }

    /// Remote ports of the connections to a port that both ends have open.
    static Set<Integer> connectedTo(int port) {
        return connections().stream().filter(each -> each.localPort() == port && each.state().equals(ESTABLISHED))
                .map(Connection::remotePort).collect(Collectors.toSet());
    }

    /// Local ports of all connections of a process.
    static Set<Integer> of(long pid) {
        Set<String> inodes = sockets(pid);
        return connections().stream().filter(each -> inodes.contains(each.inode())).map(Connection::localPort)
                .collect(Collectors.toSet());
    }

    private static List<Connection> connections() {
        try {
            List<Connection> all = new ArrayList<>();
            for (String table : List.of("tcp", "tcp6")) {
                Files.readAllLines(Path.of("/proc/net", table)).stream().skip(1).map(line -> line.strip().split(" +"))
                        .filter(word -> word.length > 9).map(Connection::of).forEach(all::add);
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> sockets(long pid) {
        Set<String> inodes = new HashSet<>();
        try (Stream<Path> files = Files.list(Path.of("/proc", String.valueOf(pid), "fd"))) {
            for (Path file : files.toList()) {
                String to = Files.readSymbolicLink(file).toString();
                if (to.startsWith("socket:[")) {
                    inodes.add(to.substring("socket:[".length(), to.length() - 1));
                }
            }
            return inodes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
