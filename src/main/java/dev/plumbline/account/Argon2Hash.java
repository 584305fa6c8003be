package dev.plumbline.account;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * A hash of Argon2 (RFC 9106) with all that it takes to make it again, as the PHC string format
 * writes it. Making one takes its memory for as long as it takes and keeps nothing.
 */
final class Argon2Hash {
    private static final Pattern FORM =
            Pattern.compile("\\$argon2(id|i|d)\\$v=(16|19)\\$m=([1-9][0-9]{0,5}),t=([1-9][0-9]?),p=([1-9][0-9]?)"
                    + "\\$([A-Za-z0-9+/]{1,88})\\$([A-Za-z0-9+/]{1,88})");

    // More than anybody recommends who has one thread for it (RFC 9106, 4: 64 MiB, 3 passes). It is
    // our database that says what to do, but one wrong row in it is not to end the process.
    private static final int MOST_MEMORY_KIB = 65_536;
    private static final int MOST_PASSES = 16;
    private static final int MOST_LANES = 16;
    // RFC 9106, 3.1.
    private static final int LEAST_KIB_A_LANE = 8;
    private static final int LEAST_SALT_BYTES = 8;
    private static final int LEAST_BYTES = 4;

    private final Argon2Parameters parameters;
    private final byte[] hash;

    private Argon2Hash(Argon2Parameters parameters, byte[] hash) {
        this.parameters = parameters;
        this.hash = hash;
    }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if it is none, or asks for more than it may; the text is not
     *     repeated
     */
    static Argon2Hash parse(String phc) {
        Matcher parts = FORM.matcher(phc);
        if (!parts.matches()) {
            throw new IllegalArgumentException("a stored password is no hash of Argon2 in PHC form");
        }
        int memory = Integer.parseInt(parts.group(3));
        int passes = Integer.parseInt(parts.group(4));
        int lanes = Integer.parseInt(parts.group(5));
        byte[] salt = Base64.getDecoder().decode(parts.group(6));
        byte[] hash = Base64.getDecoder().decode(parts.group(7));
        if (memory > MOST_MEMORY_KIB || passes > MOST_PASSES || lanes > MOST_LANES) {
            throw new IllegalArgumentException("a stored password asks for more than "
                    + (MOST_MEMORY_KIB + " KiB, " + MOST_PASSES + " passes and ")
                    + (MOST_LANES + " lanes"));
        }
        if (memory < lanes * LEAST_KIB_A_LANE || salt.length < LEAST_SALT_BYTES || hash.length < LEAST_BYTES) {
            throw new IllegalArgumentException("a stored password breaks the rules of RFC 9106");
        }
        Argon2Parameters.Builder kind =
                new Argon2Parameters.Builder(type(parts.group(1))).withVersion(Integer.parseInt(parts.group(2)));
        return new Argon2Hash(parameters(kind, memory, passes, lanes, salt), hash);
    }

    private static int type(String name) {
        return switch (name) {
            case "i" -> Argon2Parameters.ARGON2_i;
            case "d" -> Argon2Parameters.ARGON2_d;
            default -> Argon2Parameters.ARGON2_id;
        };
    }

    /** Makes an Argon2id hash of version 19, in PHC form. */
    static String make(byte[] password, byte[] salt, int memoryKib, int passes, int lanes, int size) {
        Argon2Parameters.Builder kind = new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13);
        byte[] hash = run(parameters(kind, memoryKib, passes, lanes, salt), password, size);
        return form(memoryKib, passes, lanes) + base64(salt) + "$" + base64(hash);
    }

    private static Argon2Parameters parameters(
            Argon2Parameters.Builder kind, int memoryKib, int passes, int lanes, byte[] salt) {
        return kind.withMemoryAsKB(memoryKib)
                .withIterations(passes)
                .withParallelism(lanes)
                .withSalt(salt)
                .build();
    }

    /** How all hashes begin that {@link #make} makes at this cost. */
    static String form(int memoryKib, int passes, int lanes) {
        return "$argon2id$v=19$m=" + memoryKib + ",t=" + passes + ",p=" + lanes + "$";
    }

    /** Whether it is the hash of this password, after the same work for every wrong one. */
    boolean fits(byte[] password) {
        return MessageDigest.isEqual(run(parameters, password, hash.length), hash);
    }

    private static byte[] run(Argon2Parameters parameters, byte[] password, int size) {
        byte[] hash = new byte[size];
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(parameters);
        generator.generateBytes(password, hash);
        return hash;
    }

    /** As PHC strings are: without padding. */
    static String base64(byte[] bytes) {
        return Base64.getEncoder().withoutPadding().encodeToString(bytes);
    }
}
