package org.slipstream.smtpin;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;

import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/// The client's side of SCRAM-SHA-256, written from RFC 5802 section 3 on its own.
public final class ScramClient {
    private final String password;
    private final String header;
    private final byte[] binding;
    private final String firstBare;
    private String authMessage = "";
    private byte[] salted = {};

    public ScramClient(String user, String password, String header, byte[] binding) {
        this(user, password, header, binding, "rOprNGfwEbeRWgbNEkqO");
    }

    public ScramClient(String user, String password, String header, byte[] binding, String nonce) {
        this.password = password;
        this.header = header;
        this.binding = binding;
        this.firstBare = "n=" + user.replace("=", "=3D").replace(",", "=2C") + ",r=" + nonce;
    }

    /// In base64, as all of these.
    public String first() {
        return encode((header + firstBare).getBytes(StandardCharsets.UTF_8));
    }

    public String last(String challenge) {
        String serverFirst = new String(Base64.getDecoder().decode(challenge), StandardCharsets.UTF_8);
        String[] parts = serverFirst.split(",");
        byte[] start = header.getBytes(StandardCharsets.UTF_8);
        byte[] channel = Arrays.copyOf(start, start.length + binding.length);
        System.arraycopy(binding, 0, channel, start.length, binding.length);
        String withoutProof = "c=" + encode(channel) + "," + parts[0];
        authMessage = firstBare + "," + serverFirst + "," + withoutProof;
        try {
            salted = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(new PBEKeySpec(password.toCharArray(),
                            Base64.getDecoder().decode(parts[1].substring(2)), Integer.parseInt(parts[2].substring(2)),
                            256))
                    .getEncoded();
            byte[] clientKey = hmac(salted, "Client Key");
            byte[] signature = hmac(MessageDigest.getInstance("SHA-256").digest(clientKey), authMessage);
            for (int i = 0; i < clientKey.length; i++) {
                clientKey[i] ^= signature[i];
            }
            return encode((withoutProof + ",p=" + encode(clientKey)).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK can do this", e);
        }
    }

    public boolean isServerRight(String challenge) {
        try {
            String expected = "v=" + encode(hmac(hmac(salted, "Server Key"), authMessage));
            return new String(Base64.getDecoder().decode(challenge), StandardCharsets.UTF_8).equals(expected);
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK can do this", e);
        }
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String encode(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
