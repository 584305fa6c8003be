package dev.plumbline.account;

import java.time.Instant;

/**
 * An account.
 *
 * @param email as given
 * @param keys the number of active API keys, without the internal key of the web pages
 */
public record Account(long id, String email, Plan plan, boolean disabled, Instant createdAt, int keys) {}
