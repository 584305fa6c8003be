package dev.plumbline.module.mail;

import dev.plumbline.module.mail.record.TagList;
import dev.plumbline.tls.PublicKeys;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed DKIM key record (RFC 6376 section 3.6.1, RFC 8301, RFC 8463).
 *
 * @param type in lower case, for example rsa or ed25519
 * @param bits null if the key is revoked or cannot be parsed
 * @param flags for example y (test mode) and s (no subdomains)
 * @param revoked whether p is empty
 * @param sha1Only whether h does not allow SHA-256
 * @param excludesMail whether s does not include e-mail
 * @param errors each a sentence
 */
record DkimKey(
        String type,
        @Nullable Integer bits,
        List<String> flags,
        boolean revoked,
        boolean sha1Only,
        boolean excludesMail,
        List<String> errors) {
    /** Verifiers must reject shorter keys, and must support longer ones up to {@link #MAX_BITS} (RFC 8301). */
    static final int MIN_BITS = 1024;

    static final int RECOMMENDED_BITS = 2048;
    static final int MAX_BITS = 4096;

    private static final String RSA = "rsa";
    private static final String ED25519 = "ed25519";
    private static final int ED25519_BYTES = 32;
    private static final Pattern WHITESPACE = Pattern.compile("\\s++");
    private static final Pattern KEYWORD = Pattern.compile("[A-Za-z][A-Za-z0-9-]{0,30}");

    /** Whether a text is a key record, valid or not: it has the tag p or the version of DKIM. */
    static boolean resembles(String text) {
        TagList tags = TagList.parse(text);
        String version = tags.get("v");
        return tags.get("p") != null || version != null && version.startsWith("DKIM");
    }

    boolean isRsa() {
        return type.equals(RSA);
    }

    boolean knownType() {
        return isRsa() || type.equals(ED25519);
    }

    boolean weak() {
        return isRsa() && bits != null && bits < RECOMMENDED_BITS;
    }

    boolean testing() {
        return flags.contains("y");
    }

    /** Whether current verifiers accept signatures of this key. */
    boolean usable() {
        return errors.isEmpty()
                && knownType()
                && bits != null
                && !(isRsa() && bits < MIN_BITS)
                && !sha1Only
                && !excludesMail;
    }

    static DkimKey parse(String text) {
        TagList tags = TagList.parse(text);
        List<String> errors = new ArrayList<>(tags.errors());
        String version = tags.get("v");
        if (version != null && !version.equals("DKIM1")) {
            errors.add("The version is " + TagList.quote(version) + ", but must be DKIM1.");
        } else if (version != null && !tags.tags().keySet().iterator().next().equals("v")) {
            errors.add("The version (v) is not the first tag.");
        }
        String k = tags.get("k");
        String type = k == null ? RSA : k.toLowerCase(Locale.ROOT);
        String p = tags.get("p");
        String data = p == null ? "" : WHITESPACE.matcher(p).replaceAll("");
        Integer bits = null;
        if (p == null) {
            errors.add("The record does not contain the public key (p).");
        } else if (!data.isEmpty()) {
            bits = bits(type, data, errors);
        }
        List<String> hashes = keywords(tags, "h", errors);
        List<String> services = keywords(tags, "s", errors);
        return new DkimKey(
                type,
                bits,
                keywords(tags, "t", errors),
                p != null && data.isEmpty(),
                !hashes.isEmpty() && !hashes.contains("sha256"),
                !services.isEmpty() && !services.contains("*") && !services.contains("email"),
                List.copyOf(errors));
    }

    /** The values of a list separated by colons, in lower case. */
    private static List<String> keywords(TagList tags, String name, List<String> errors) {
        String value = tags.get(name);
        if (value == null) {
            return List.of();
        }
        List<String> keywords = new ArrayList<>();
        for (String part : value.split(":")) {
            String keyword = part.strip();
            if (KEYWORD.matcher(keyword).matches() || name.equals("s") && keyword.equals("*")) {
                keywords.add(keyword.toLowerCase(Locale.ROOT));
            } else {
                errors.add("The value of " + name + " is " + TagList.quote(value) + ", but must be a list of names.");
                return List.of();
            }
        }
        return List.copyOf(keywords);
    }

    /** The size of the key; null, with an error, if it cannot be parsed. */
    private static @Nullable Integer bits(String type, String data, List<String> errors) {
        byte[] key;
        try {
            key = Base64.getDecoder().decode(data);
        } catch (IllegalArgumentException malformed) {
            errors.add("The public key (p) is not valid Base64.");
            return null;
        }
        if (type.equals(ED25519)) {
            if (key.length == ED25519_BYTES) {
                return 8 * ED25519_BYTES;
            }
            errors.add("The Ed25519 key has " + key.length + " bytes, but must have 32.");
            return null;
        }
        if (!type.equals(RSA)) {
            return null;
        }
        try {
            return PublicKeys.rsaBits(key);
        } catch (IllegalArgumentException malformed) {
            errors.add("The public key (p) is not an RSA public key in DER.");
            return null;
        }
    }
}
