package org.slipstream.local.address;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.function.Predicate;

/// True for every address of this machine's interfaces. They are read on each call, because they
/// change. Uses no DNS.
public final class ThisMachine implements Predicate<InetAddress> {
    @Override
    public boolean test(InetAddress address) {
        if (address.isLoopbackAddress() || address.isAnyLocalAddress()) {
            return true;
        }
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException cannotTell) {
            return false;
        }
    }
}
