package dev.plumbline.account;

import java.time.Instant;

/**
 * Somebody who is signed in.
 *
 * @param client what the browser said of itself, up to 200 characters
 * @param address from where they signed in
 * @param usedAt to within a quarter of an hour
 * @param expiresAt unless it is used before
 */
public record Session(long id, String client, String address, Instant createdAt, Instant usedAt, Instant expiresAt) {}
