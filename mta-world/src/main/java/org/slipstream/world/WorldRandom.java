package org.slipstream.world;

import java.security.Provider;
import java.security.SecureRandomSpi;

/// Secure random numbers from the seed of the world, as the JDK's first provider of them.
final class WorldRandom extends Provider {
    private static final long serialVersionUID = 1;

    WorldRandom() {
        super("World", "1", "random numbers of a simulated world");
        for (String name : new String[]{"World", "NativePRNG", "SHA1PRNG", "DRBG", "NativePRNGNonBlocking"}) {
            put("SecureRandom." + name, Numbers.class.getName());
            put("SecureRandom." + name + " ThreadSafe", "true");
        }
    }

    /// Made by the JDK.
    public static final class Numbers extends SecureRandomSpi {
        private static final long serialVersionUID = 1;

        @Override
        protected void engineSetSeed(byte[] seed) {
            // The seed of the world decides.
        }

        @Override
        protected void engineNextBytes(byte[] bytes) {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) MailWorld.present().randomOctet();
            }
        }

        @Override
        protected byte[] engineGenerateSeed(int count) {
            byte[] seed = new byte[count];
            engineNextBytes(seed);
            return seed;
        }
    }
}
