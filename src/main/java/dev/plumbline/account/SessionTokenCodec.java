package dev.plumbline.account;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hashing;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.auth.JWTOptions;
import io.vertx.ext.auth.PubSecKeyOptions;
import io.vertx.ext.auth.authentication.TokenCredentials;
import io.vertx.ext.auth.jwt.JWTAuth;
import io.vertx.ext.auth.jwt.JWTAuthOptions;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.generators.HKDFBytesGenerator;
import org.bouncycastle.crypto.params.HKDFParameters;
import org.jspecify.annotations.Nullable;

/**
 * Session tokens: JSON Web Tokens (RFC 7519) with HS256, one issuer and one audience. Decoding checks encoding,
 * signature and expiry; the database decides whether the token is current.
 */
final class SessionTokenCodec {
    /** Maximum length of a token in characters. */
    static final int MAX_LENGTH = 1_024;

    private static final String ALGORITHM = "HS256";
    private static final String AUDIENCE = "plumbline-web";
    private static final Pattern COMPACT = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+");
    /** The labels (HKDF info) of the keys derived from the secret. */
    private static final String SIGNATURE_LABEL = "plumbline session token signature";

    private static final String ID_LABEL = "plumbline session token ID";
    private static final int KEY_BYTES = 32;

    private static final int ID_BYTES = 16;
    private static final int ID_CHARACTERS = 22;

    private final SecureRandom random = new SecureRandom();
    private final Keys current;
    private final @Nullable Keys previous;
    private final String issuer;

    /** The keys that are derived from one secret. */
    private record Keys(JWTAuth jwt, byte[] successorKey) {
        static Keys derive(Vertx vertx, String secret, String issuer) {
            Buffer signingKey = Buffer.buffer(derivedKey(secret, SIGNATURE_LABEL));
            JWTAuthOptions options = new JWTAuthOptions()
                    .addPubSecKey(new PubSecKeyOptions().setAlgorithm(ALGORITHM).setBuffer(signingKey))
                    .setJWTOptions(new JWTOptions()
                            .setAlgorithm(ALGORITHM)
                            .setIssuer(issuer)
                            .addAudience(AUDIENCE));
            return new Keys(JWTAuth.create(vertx, options), derivedKey(secret, ID_LABEL));
        }

        Future<Claims> verify(String token) {
            return jwt.authenticate(new TokenCredentials(token))
                    .map(user -> claims(user.principal().mergeIn(user.attributes()), this));
        }
    }

    /**
     * @param secret at least 32 characters; the keys are derived from it
     * @param previousSecret another secret whose tokens are valid; null if there is only one
     * @param issuer public URL of the service
     */
    SessionTokenCodec(Vertx vertx, String secret, @Nullable String previousSecret, String issuer) {
        this.issuer = issuer;
        this.current = Keys.derive(vertx, secret, issuer);
        this.previous = previousSecret == null ? null : Keys.derive(vertx, previousSecret, issuer);
    }

    /** Derives a key for one purpose (HKDF with SHA-256, RFC 5869). */
    private static byte[] derivedKey(String secret, String label) {
        HKDFBytesGenerator generator = new HKDFBytesGenerator(new SHA256Digest());
        generator.init(new HKDFParameters(secret.getBytes(UTF_8), null, label.getBytes(UTF_8)));
        byte[] key = new byte[KEY_BYTES];
        generator.generateBytes(key, 0, KEY_BYTES);
        return key;
    }

    /**
     * The claims of a token.
     *
     * @param tokenId ID of the token
     * @param keys the keys that signed it
     */
    record Claims(long sessionId, long accountId, String tokenId, Keys keys) {
        /** Omits the token ID. */
        @Override
        public String toString() {
            return "Claims[session=" + sessionId + ", account=" + accountId + "]";
        }
    }

    /** A random token ID, 128 bits. */
    String generateId() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /**
     * The ID of the token that replaces this one. Deterministic, so that concurrent requests get the same token, also
     * from nodes with different current secrets.
     */
    String successorId(Claims token) {
        byte[] code = Hashing.hmacSha256(token.keys.successorKey)
                .hashString("successor\n" + token.sessionId + "\n" + token.tokenId, UTF_8)
                .asBytes();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(code, ID_BYTES));
    }

    String encode(long sessionId, long accountId, String tokenId, Instant expiresAt) {
        return current.jwt.generateToken(
                new JsonObject()
                        .put("iss", issuer)
                        .put("aud", AUDIENCE)
                        .put("sub", Long.toString(accountId))
                        .put("sid", Long.toString(sessionId))
                        .put("jti", tokenId)
                        .put("exp", expiresAt.getEpochSecond()),
                new JWTOptions().setAlgorithm(ALGORITHM));
    }

    /** Fails if the token is not valid; the message does not contain it. */
    Future<Claims> decode(String token) {
        if (token.length() > MAX_LENGTH || !COMPACT.matcher(token).matches()) {
            return invalid();
        }
        try {
            if (!isCanonical(token)) {
                return invalid();
            }
            return current.verify(token)
                    .recover(failure -> previous == null ? invalid() : previous.verify(token))
                    .recover(failure -> invalid());
        } catch (RuntimeException failure) {
            return invalid();
        }
    }

    /** Whether the unused bits of each part are zero (RFC 4648, 3.5), so that a token has one spelling. */
    private static boolean isCanonical(String token) {
        for (String part : token.split("\\.", -1)) {
            byte[] bytes = Base64.getUrlDecoder().decode(part);
            if (!Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(part)) {
                return false;
            }
        }
        return true;
    }

    private static Claims claims(JsonObject user, Keys keys) {
        JsonObject token = user.getJsonObject("accessToken");
        String id = token.getString("jti");
        if (id.length() != ID_CHARACTERS || !token.containsKey("exp")) {
            throw new IllegalArgumentException("not a session token");
        }
        return new Claims(Long.parseLong(token.getString("sid")), Long.parseLong(token.getString("sub")), id, keys);
    }

    static Buffer hash(String tokenId) {
        return Buffer.buffer(Hashing.sha256().hashString(tokenId, UTF_8).asBytes());
    }

    private static Future<Claims> invalid() {
        return Future.failedFuture(new IllegalArgumentException("invalid session token"));
    }
}
