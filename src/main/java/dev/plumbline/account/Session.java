package dev.plumbline.account;

import java.time.Instant;

/**
 * A session.
 *
 * @param client the User-Agent header, at most 200 characters
 * @param address the client address at sign-in
 * @param usedAt the last use, accurate to 15 minutes
 * @param expiresAt the expiry, unless the session is used before
 */
public record Session(long id, String client, String address, Instant createdAt, Instant usedAt, Instant expiresAt) {}
