package org.slipstream.world;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.security.Security;

/// The main class of the JVM of worlds.
public final class WorldMain {
    private WorldMain() {}

    public static void main(String[] arguments) throws IOException {
        prepare();
        for (String seed : arguments) {
            WorldPlan plan = seed.startsWith("+") ? WorldPlan.drawn(Long.parseLong(seed.substring(1)))
                 : new WorldPlan(Long.parseLong(seed), 20, 30, java.util.List.of());
            MailWorld.WorldResult result = MailWorld.run(plan, Path.of("/dev/shm/oE-w"));
            System.out.println(plan.text().replace('\n',';'));
            System.out.println(result.troubles() + " " + Long.toHexString(result.fingerprint()) + " virtual "
                    + result.virtualSeconds() + " real " + result.realSeconds() + " turns " + result.turns());
            if (System.getProperty("history") != null) {
                result.history().forEach(System.out::println);
            }
        }
    }

    @SuppressWarnings("deprecation") // The only way to give the JDK's sockets an implementation.
    private static void prepare() throws IOException {
        Security.insertProviderAt(new WorldRandom(), 1);
        Socket.setSocketImplFactory(() -> new WorldSocket(() -> MailWorld.present().network()));
        ServerSocket.setSocketFactory(() -> new WorldSocket(() -> MailWorld.present().network()));
    }
}
