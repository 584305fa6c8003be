package dev.plumbline.account;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of an API key, without its secret.
 *
 * @param prefix first characters of the key
 * @param lastUsedAt accurate to a minute; null if never
 * @param expiresAt null for never
 * @param revokedAt null if the key is not revoked
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
