package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Set;

/** Searches text for secrets: verbatim, without their ends, encoded, and as their stored hash. */
public final class SecretScanner {
    private static final int VISIBLE = 10;

    private final Set<String> forms = new LinkedHashSet<>();

    /** Adds a key, a password or a token of at least 12 characters. */
    public SecretScanner secret(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        forms.add(secret);
        if (secret.length() > 2 * VISIBLE) {
            // only the prefix of a key can be shown
            forms.add(secret.substring(VISIBLE));
            forms.add(secret.substring(0, secret.length() - VISIBLE));
        }
        forms.add(URLEncoder.encode(secret, StandardCharsets.UTF_8));
        forms.add(Base64.getEncoder().withoutPadding().encodeToString(bytes));
        forms.add(HexFormat.of().formatHex(bytes));
        forms.add(HexFormat.of().formatHex(sha256(bytes)));
        forms.add(Base64.getUrlEncoder().withoutPadding().encodeToString(sha256(bytes)));
        return this;
    }

    /** Fails if a text contains any of the secrets in any form. */
    public void assertNoneIn(String place, String text) {
        assertThat(forms).as("secrets to search for").isNotEmpty();
        for (String form : forms) {
            assertThat(text.contains(form)).as("a secret in " + place).isFalse();
        }
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
