package dev.plumbline.account;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Hashes and verifies passwords with Argon2id (RFC 9106) in PHC string format. Hashes are computed
 * one at a time on a dedicated thread with a bounded queue, so that many sign-ins do not slow down
 * checks.
 *
 * <p>Passwords are normalized with NFKC (NIST SP 800-63B, 5.1.1.2) and not trimmed.
 */
public final class PasswordHasher {
    /** The minimum length in code points, after normalization. */
    public static final int MIN_LENGTH = 12;

    /** The maximum length in code points, before and after normalization. */
    public static final int MAX_LENGTH = 1_024;

    // OWASP recommendation: 19 MiB, 2 iterations, 1 lane.
    private static final int MEMORY_KIB = 19_456;
    private static final int PASSES = 2;
    private static final int LANES = 1;
    private static final int HASH_BYTES = 32;
    private static final int SALT_BYTES = 16;
    private static final String FORM = Argon2Hash.form(MEMORY_KIB, PASSES, LANES);

    // A hash takes about 50 ms, so the queue delay is below two seconds.
    private static final int MAX_WAITING = 32;

    private final SecureRandom random = new SecureRandom();
    private final WorkerExecutor worker;
    private final AtomicInteger waiting = new AtomicInteger();
    private final String dummyHash;

    /** One instance per process. */
    public PasswordHasher(Vertx vertx) {
        this.worker = vertx.createSharedWorkerExecutor("passwords", 1, 10, TimeUnit.SECONDS);
        this.dummyHash = FORM + Argon2Hash.base64(random(SALT_BYTES)) + "$" + Argon2Hash.base64(random(HASH_BYTES));
    }

    /** Returns the error in a new password as a sentence; null if it is valid. */
    public static @Nullable String fault(String password) {
        if (password.codePointCount(0, password.length()) > MAX_LENGTH) {
            return "The password must have at most " + MAX_LENGTH + " characters.";
        }
        byte[] bytes = bytes(password);
        if (bytes == null) {
            return "The password is not valid Unicode.";
        }
        String normal = new String(bytes, StandardCharsets.UTF_8);
        int length = normal.codePointCount(0, normal.length());
        if (length < MIN_LENGTH) {
            return "The password must have at least " + MIN_LENGTH + " characters.";
        }
        return length > MAX_LENGTH ? "The password must have at most " + MAX_LENGTH + " characters." : null;
    }

    /**
     * Hashes a password.
     *
     * @param password without {@link #fault}
     * @return fails with {@link HashingQueueFullException} if too many hashes are queued
     */
    public Future<String> hash(String password) {
        byte[] bytes = bytes(password);
        if (bytes == null || fault(password) != null) {
            throw new IllegalArgumentException("invalid password");
        }
        return work(() -> Argon2Hash.make(bytes, random(SALT_BYTES), MEMORY_KIB, PASSES, LANES, HASH_BYTES));
    }

    /**
     * Whether a password matches a hash.
     *
     * @param hash null without account or password; the result is then false after the same amount of
     *     work
     * @return fails with {@link HashingQueueFullException} if too many hashes are queued, and with
     *     IllegalArgumentException if the hash is not valid or exceeds the limits
     */
    public Future<Boolean> verify(String password, @Nullable String hash) {
        byte[] given = bytes(password);
        // an invalid password takes the same time as a valid one
        byte[] bytes = given == null ? new byte[MIN_LENGTH] : given;
        String kept = hash == null ? dummyHash : hash;
        boolean possible = given != null && hash != null;
        return work(() -> Argon2Hash.parse(kept).matches(bytes) && possible);
    }

    /** Whether a hash has other parameters than the current ones. */
    public static boolean isOutdated(String hash) {
        return !hash.startsWith(FORM);
    }

    /** The number of running and queued hashes. */
    public int waiting() {
        return waiting.get();
    }

    private <T> Future<T> work(Callable<T> task) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            return Future.failedFuture(new HashingQueueFullException("Too many password hashes are queued."));
        }
        return worker.executeBlocking(task, false).onComplete(done -> waiting.decrementAndGet());
    }

    /** Returns the normalized password in UTF-8; null if it is not valid Unicode. */
    private static byte @Nullable [] bytes(String password) {
        try {
            ByteBuffer utf8 = StandardCharsets.UTF_8
                    .newEncoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .encode(CharBuffer.wrap(Normalizer.normalize(password, Normalizer.Form.NFKC)));
            return Arrays.copyOf(utf8.array(), utf8.limit());
        } catch (CharacterCodingException half) {
            return null;
        }
    }

    private byte[] random(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
