package dev.plumbline.account;

import java.time.Instant;

/**
 * An account that is not deleted.
 *
 * @param email as entered
 * @param keys number of valid API keys, without the page key
 */
public record Account(long id, String email, Plan plan, boolean disabled, Instant createdAt, int keys) {}
