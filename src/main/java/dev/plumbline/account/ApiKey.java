package dev.plumbline.account;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What may be told of an API key: everything but the key.
 *
 * @param prefix how the key begins, for people to tell their keys apart
 * @param scopes what it may be used for
 * @param lastUsedAt to within a minute; null if never
 * @param expiresAt null for never
 * @param revokedAt null if it was not revoked
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
