package dev.plumbline.account;

import java.util.Set;

/**
 * The owner of a valid API key.
 *
 * @param scopes scopes of the key
 */
public record ApiCaller(long accountId, long keyId, Plan plan, Set<Scope> scopes) {
    public ApiCaller {
        scopes = Set.copyOf(scopes);
    }
}
