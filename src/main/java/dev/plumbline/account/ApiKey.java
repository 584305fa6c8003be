package dev.plumbline.account;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An API key, without the secret.
 *
 * @param prefix the first characters of the key
 * @param scopes the granted scopes
 * @param lastUsedAt accurate to one minute; null if never used
 * @param expiresAt null if it does not expire
 * @param revokedAt null if it is not revoked
 */
public record ApiKey(
        long id,
        String prefix,
        String name,
        Set<Scope> scopes,
        Instant createdAt,
        @Nullable Instant lastUsedAt,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt) {
    public ApiKey {
        scopes = Set.copyOf(scopes);
    }
}
