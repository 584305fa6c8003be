package dev.plumbline.account;

import java.time.Instant;

/**
 * A web session.
 *
 * @param client User-Agent header, up to 200 printable characters
 * @param address client address at sign-in
 * @param usedAt accurate to 15 minutes
 * @param expiresAt if the session is not used before
 */
public record Session(long id, String client, String address, Instant createdAt, Instant usedAt, Instant expiresAt) {}
