package dev.plumbline.account;

import java.time.Instant;

/**
 * An account that was not deleted.
 *
 * @param email as it was given
 * @param keys how many API keys of it are live, the hidden one of the web pages apart
 */
public record Account(long id, String email, Plan plan, boolean disabled, Instant createdAt, int keys) {}
