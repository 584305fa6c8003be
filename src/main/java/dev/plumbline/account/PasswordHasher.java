package dev.plumbline.account;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.text.Normalizer;
import java.util.Base64;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.jspecify.annotations.Nullable;

/**
 * Hashes passwords with Argon2id (RFC 9106). One thread per process executes all hashes; the queue is bounded.
 *
 * <p>Passwords are normalized to NFKC (NIST SP 800-63B, section 5.1.1.2) and otherwise unchanged. The hash is computed
 * by Bouncy Castle, because password4j keeps the memory of a hash for the lifetime of the process and copies it for
 * each hash.
 */
public final class PasswordHasher {
    /** In code points after normalization. */
    public static final int MIN_LENGTH = 12;

    /** In code points before and after normalization. */
    public static final int MAX_LENGTH = 1_024;

    // OWASP password storage recommendation: 19 MiB, 2 passes.
    private static final int MEMORY_KIB = 19_456;
    private static final int PASSES = 2;
    private static final int LANES = 1;
    private static final int HASH_BYTES = 32;
    private static final int SALT_BYTES = 16;
    /** PHC string format of all stored hashes. If the parameters change, hashes with these must still be accepted. */
    private static final String PREFIX = "$argon2id$v=19$m=" + MEMORY_KIB + ",t=" + PASSES + ",p=" + LANES + "$";

    private static final Pattern STORED =
            Pattern.compile(Pattern.quote(PREFIX) + "([A-Za-z0-9+/]{22})\\$([A-Za-z0-9+/]{43})");

    // One hash takes about 50 ms, so the queue is shorter than 2 seconds.
    private static final int MAX_QUEUED = 32;

    private final SecureRandom random = new SecureRandom();
    private final WorkerExecutor worker;
    private final AtomicInteger pending = new AtomicInteger();
    private final String dummyHash;

    /** One instance per process. */
    public PasswordHasher(Vertx vertx) {
        this.worker = vertx.createSharedWorkerExecutor("passwords", 1, 10, TimeUnit.SECONDS);
        this.dummyHash = phc(random(SALT_BYTES), random(HASH_BYTES));
    }

    /** Returns the violated rule as a sentence; null if the password is valid. */
    public static @Nullable String validate(String password) {
        if (password.codePointCount(0, password.length()) > MAX_LENGTH) {
            return "The password must have at most " + MAX_LENGTH + " characters.";
        }
        byte[] bytes = bytes(password);
        if (bytes == null) {
            return "The password is not valid Unicode text.";
        }
        String normalized = new String(bytes, StandardCharsets.UTF_8);
        int length = normalized.codePointCount(0, normalized.length());
        if (length < MIN_LENGTH) {
            return "The password must have at least " + MIN_LENGTH + " characters.";
        }
        return length > MAX_LENGTH ? "The password must have at most " + MAX_LENGTH + " characters." : null;
    }

    /**
     * Hashes a password.
     *
     * @param password valid by {@link #validate}
     * @return the PHC string; fails with {@link HashingQueueFullException}
     */
    public Future<String> hash(String password) {
        byte[] bytes = bytes(password);
        if (bytes == null || validate(password) != null) {
            throw new IllegalArgumentException("the password is not valid");
        }
        byte[] salt = random(SALT_BYTES);
        return submit(() -> phc(salt, argon2id(bytes, salt)));
    }

    private static String phc(byte[] salt, byte[] hash) {
        Base64.Encoder base64 = Base64.getEncoder().withoutPadding();
        return PREFIX + base64.encodeToString(salt) + "$" + base64.encodeToString(hash);
    }

    private static byte[] argon2id(byte[] password, byte[] salt) {
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                .withMemoryAsKB(MEMORY_KIB)
                .withIterations(PASSES)
                .withParallelism(LANES)
                .withSalt(salt)
                .build());
        byte[] hash = new byte[HASH_BYTES];
        generator.generateBytes(password, hash);
        return hash;
    }

    /**
     * Verifies a password.
     *
     * @param hash null if the account does not exist or has no password; the result is false after the same work
     * @return fails with {@link HashingQueueFullException}, and with {@link IllegalArgumentException} if the hash is
     *     not valid
     */
    public Future<Boolean> verify(String password, @Nullable String hash) {
        byte[] bytesOrNull = bytes(password);
        // an invalid password takes the same time as a valid one
        byte[] bytes = bytesOrNull == null ? new byte[MIN_LENGTH] : bytesOrNull;
        String stored = hash == null ? dummyHash : hash;
        boolean possible = bytesOrNull != null && hash != null;
        return submit(() -> matches(bytes, stored) && possible);
    }

    private static boolean matches(byte[] password, String stored) {
        Matcher parts = STORED.matcher(stored);
        if (!parts.matches()) {
            throw new IllegalArgumentException("the stored password hash is not " + PREFIX + "…");
        }
        byte[] salt = Base64.getDecoder().decode(parts.group(1));
        return MessageDigest.isEqual(
                argon2id(password, salt), Base64.getDecoder().decode(parts.group(2)));
    }

    /** The number of running and queued hashes. */
    public int pending() {
        return pending.get();
    }

    private <T> Future<T> submit(Callable<T> task) {
        if (pending.incrementAndGet() > MAX_QUEUED) {
            pending.decrementAndGet();
            return Future.failedFuture(new HashingQueueFullException("The password hash queue is full."));
        }
        return worker.executeBlocking(task, false).onComplete(done -> pending.decrementAndGet());
    }

    /** The normalized password in UTF-8; null if it is not valid Unicode. */
    private static byte @Nullable [] bytes(String password) {
        try {
            // an encoder instance reports malformed input; a charset would replace it
            ByteBuffer utf8 = StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(Normalizer.normalize(password, Normalizer.Form.NFKC)));
            byte[] bytes = new byte[utf8.remaining()];
            utf8.get(bytes);
            return bytes;
        } catch (CharacterCodingException invalid) {
            return null;
        }
    }

    private byte[] random(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
