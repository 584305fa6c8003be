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
 * Passwords as Argon2id hashes (RFC 9106) in PHC form. A hash is made to be slow, so all of a
 * process are made one after the other on a thread of their own, and only so many may wait: event
 * loops and checks do not notice a flood of sign-ins.
 *
 * <p>A password is normalised (NFKC, as NIST SP 800-63B, 5.1.1.2 recommends) and otherwise taken as
 * it is, blanks at its ends too.
 */
public final class PasswordHasher {
    /** In code points, after normalisation. */
    public static final int SHORTEST = 12;

    /** In code points, before and after normalisation. */
    public static final int LONGEST = 1_024;

    // The second of OWASP's equal choices: 19 MiB and two passes.
    private static final int MEMORY_KIB = 19_456;
    private static final int PASSES = 2;
    private static final int LANES = 1;
    private static final int HASH_BYTES = 32;
    private static final int SALT_BYTES = 16;
    private static final String FORM = Argon2Hash.form(MEMORY_KIB, PASSES, LANES);

    // One takes some 50 ms: whoever is let in has waited less than two seconds.
    private static final int MOST_WAITING = 32;

    private final SecureRandom random = new SecureRandom();
    private final WorkerExecutor worker;
    private final AtomicInteger waiting = new AtomicInteger();
    private final String nobodys;

    /** One for each process. */
    public PasswordHasher(Vertx vertx) {
        this.worker = vertx.createSharedWorkerExecutor("passwords", 1, 10, TimeUnit.SECONDS);
        this.nobodys = FORM + Argon2Hash.base64(random(SALT_BYTES)) + "$" + Argon2Hash.base64(random(HASH_BYTES));
    }

    /** What keeps a text from being somebody's new password, as a sentence; null: nothing. */
    public static @Nullable String fault(String password) {
        if (password.codePointCount(0, password.length()) > LONGEST) {
            return "A password has at most " + LONGEST + " characters.";
        }
        byte[] bytes = bytes(password);
        if (bytes == null) {
            return "A password is Unicode text; this holds half a character.";
        }
        String normal = new String(bytes, StandardCharsets.UTF_8);
        int length = normal.codePointCount(0, normal.length());
        if (length < SHORTEST) {
            return "A password has at least " + SHORTEST + " characters.";
        }
        return length > LONGEST ? "A password has at most " + LONGEST + " characters." : null;
    }

    /**
     * Makes the hash that is kept in place of a password.
     *
     * @param password one without {@link #fault}
     * @return fails with {@link HashingQueueFullException} when too many wait already
     */
    public Future<String> hash(String password) {
        byte[] bytes = bytes(password);
        if (bytes == null || fault(password) != null) {
            throw new IllegalArgumentException("a password that breaks the rules");
        }
        return work(() -> Argon2Hash.make(bytes, random(SALT_BYTES), MEMORY_KIB, PASSES, LANES, HASH_BYTES));
    }

    /**
     * Whether a password is the one that a hash was made of.
     *
     * @param hash null where there is no account or it has no password: false, after as much work
     * @return fails with {@link HashingQueueFullException} when too many wait already, and with
     *     IllegalArgumentException when the hash is none of Argon2 or asks for too much
     */
    public Future<Boolean> verify(String password, @Nullable String hash) {
        byte[] given = bytes(password);
        // what can be nobody's password costs the same as what could be
        byte[] bytes = given == null ? new byte[SHORTEST] : given;
        String kept = hash == null ? nobodys : hash;
        boolean possible = given != null && hash != null;
        return work(() -> Argon2Hash.parse(kept).fits(bytes) && possible);
    }

    /** Whether a hash was made with parameters that are no longer ours, and is to be made again. */
    public static boolean isOutdated(String hash) {
        return !hash.startsWith(FORM);
    }

    /** How many hashes are being made or wait for it. */
    public int waiting() {
        return waiting.get();
    }

    private <T> Future<T> work(Callable<T> task) {
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet();
            return Future.failedFuture(new HashingQueueFullException("Too many passwords wait to be hashed."));
        }
        return worker.executeBlocking(task, false).onComplete(done -> waiting.decrementAndGet());
    }

    /** The normalised password in UTF-8; null when it is no Unicode text. */
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
