package org.slipstream.world;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/// The JVM in which worlds live: with the agent, and open where the world needs the inside of the
/// JDK.
public final class WorldProcess {
    private static final List<String> PACKAGES = List.of("hook/WorldHooks", "hook/WorldMachine", "agent/WorldAgent",
            "agent/ClassRewriter");

    /// Maven runs this program in the folder of its module.
    private static final Path BUGS = Path.of("src", "test", "resources", "bugs");
    private static final long MINUTES = 10;

    private WorldProcess() {}

    /// Starts that JVM with these arguments of [WorldMain] and gives its exit code.
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path folder = Path.of(arguments[0]);
        Files.createDirectories(folder);
        if (arguments[1].equals("bugs")) {
            System.exit(hunt(folder, List.of(arguments).subList(2, arguments.length)) ? 0 : WorldMain.EXIT_FAILED);
        }
        Process worlds = new ProcessBuilder(command(folder, System.getProperty("java.class.path"),
                WorldMain.class.getName(), List.of(arguments))).inheritIO().start();
        System.exit(worlds.waitFor());
    }

    /// @param arguments minutes for each mistake, the first seed, and names; without names, all of them
    private static boolean hunt(Path folder, List<String> arguments) throws IOException, InterruptedException {
        List<Path> patches = WorldBugs.patches(BUGS).stream().filter(patch -> arguments.size() < 3
                || arguments.contains(patch.getFileName().toString().replace(".patch", ""))).toList();
        return new WorldBugs(Path.of(".."), folder, System.out).hunt(patches,
                arguments.isEmpty() ? MINUTES : Long.parseLong(arguments.getFirst()),
                arguments.size() < 2 ? 1 : Long.parseLong(arguments.get(1)));
    }

    /// @param folder for the jar of the agent
    static List<String> command(Path folder, String classPath, String main, List<String> arguments)
            throws IOException {
        Path jar = folder.resolve("world-agent.jar");
        write(jar);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx700m", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2", "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "-Djdk.trackAllThreads=false",
                "-Djava.nio.channels.spi.SelectorProvider=" + WorldChannels.class.getName(),
                "-Duser.timezone=UTC", "-Djava.security.egd=file:/dev/urandom",
                "--enable-native-access=ALL-UNNAMED", "-javaagent:" + jar));
        for (String opened : List.of("java.lang", "java.util.concurrent", "sun.nio.ch", "java.net")) {
            command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(arguments);
        return command;
    }

    private static void write(Path jar) throws IOException {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Premain-Class", "org.slipstream.world.agent.WorldAgent");
        main.putValue("Can-Retransform-Classes", "true");
        main.putValue("Can-Redefine-Classes", "true");
        main.putValue("Boot-Class-Path", jar.toAbsolutePath().toString());
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out, manifest)) {
            for (String each : classes()) {
                entries.putNextEntry(new JarEntry(each));
                try (InputStream in = WorldProcess.class.getResourceAsStream("/" + each)) {
                    if (in == null) {
                        throw new IOException("class path without " + each);
                    }
                    in.transferTo(entries);
                }
                entries.closeEntry();
            }
        }
    }

    private static List<String> classes() {
        List<String> all = new ArrayList<>();
        PACKAGES.forEach(each -> all.add("org/slipstream/world/" + each + ".class"));
        all.add("org/slipstream/world/agent/ClassRewriter$1.class");
        return all;
    }
}
