package dev.plumbline.account;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/** An Argon2 hash (RFC 9106) with its parameters, in PHC string format. */
final class Argon2Hash {
    private static final Pattern PHC =
            Pattern.compile("\\$argon2(id|i|d)\\$v=(16|19)\\$m=([1-9][0-9]{0,5}),t=([1-9][0-9]?),p=([1-9][0-9]?)"
                    + "\\$([A-Za-z0-9+/]{1,88})\\$([A-Za-z0-9+/]{1,88})");

    // Upper bounds for stored parameters, so that an invalid row cannot exhaust memory or CPU. RFC 9106, section 4
    // recommends 64 MiB and 3 passes.
    private static final int MAX_MEMORY_KIB = 65_536;
    private static final int MAX_PASSES = 16;
    private static final int MAX_LANES = 16;
    // RFC 9106, section 3.1.
    private static final int MIN_KIB_PER_LANE = 8;
    private static final int MIN_SALT_BYTES = 8;
    private static final int MIN_HASH_BYTES = 4;

    private final Argon2Parameters parameters;
    private final byte[] hash;

    private Argon2Hash(Argon2Parameters parameters, byte[] hash) {
        this.parameters = parameters;
        this.hash = hash;
    }

    /**
     * Parses a PHC string.
     *
     * @throws IllegalArgumentException if it is not valid or exceeds the bounds; the message does not contain the
     *     string
     */
    static Argon2Hash parse(String phc) {
        Matcher parts = PHC.matcher(phc);
        if (!parts.matches()) {
            throw new IllegalArgumentException("the stored password hash is not an Argon2 hash in PHC format");
        }
        int memory = Integer.parseInt(parts.group(3));
        int passes = Integer.parseInt(parts.group(4));
        int lanes = Integer.parseInt(parts.group(5));
        byte[] salt = Base64.getDecoder().decode(parts.group(6));
        byte[] hash = Base64.getDecoder().decode(parts.group(7));
        if (memory > MAX_MEMORY_KIB || passes > MAX_PASSES || lanes > MAX_LANES) {
            throw new IllegalArgumentException("the stored password hash requires more than "
                    + (MAX_MEMORY_KIB + " KiB, " + MAX_PASSES + " passes and ")
                    + (MAX_LANES + " lanes"));
        }
        if (memory < lanes * MIN_KIB_PER_LANE || salt.length < MIN_SALT_BYTES || hash.length < MIN_HASH_BYTES) {
            throw new IllegalArgumentException("the stored password hash does not conform to RFC 9106");
        }
        Argon2Parameters.Builder builder =
                new Argon2Parameters.Builder(type(parts.group(1))).withVersion(Integer.parseInt(parts.group(2)));
        return new Argon2Hash(parameters(builder, memory, passes, lanes, salt), hash);
    }

    private static int type(String name) {
        return switch (name) {
            case "i" -> Argon2Parameters.ARGON2_i;
            case "d" -> Argon2Parameters.ARGON2_d;
            default -> Argon2Parameters.ARGON2_id;
        };
    }

    /** Computes an Argon2id hash, version 19, in PHC string format. */
    static String compute(byte[] password, byte[] salt, int memoryKib, int passes, int lanes, int size) {
        Argon2Parameters.Builder builder = new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13);
        byte[] hash = run(parameters(builder, memoryKib, passes, lanes, salt), password, size);
        return prefix(memoryKib, passes, lanes) + base64(salt) + "$" + base64(hash);
    }

    private static Argon2Parameters parameters(
            Argon2Parameters.Builder builder, int memoryKib, int passes, int lanes, byte[] salt) {
        return builder.withMemoryAsKB(memoryKib)
                .withIterations(passes)
                .withParallelism(lanes)
                .withSalt(salt)
                .build();
    }

    /** The common prefix of all hashes with these parameters. */
    static String prefix(int memoryKib, int passes, int lanes) {
        return "$argon2id$v=19$m=" + memoryKib + ",t=" + passes + ",p=" + lanes + "$";
    }

    /** Whether the password matches. Takes constant time per parameter set. */
    boolean matches(byte[] password) {
        return MessageDigest.isEqual(run(parameters, password, hash.length), hash);
    }

    private static byte[] run(Argon2Parameters parameters, byte[] password, int size) {
        byte[] hash = new byte[size];
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(parameters);
        generator.generateBytes(password, hash);
        return hash;
    }

    /** Base64 without padding, as in the PHC string format. */
    static String base64(byte[] bytes) {
        return Base64.getEncoder().withoutPadding().encodeToString(bytes);
    }
}
