package dev.plumbline.account;

import java.util.Set;

/**
 * The account and key of an authenticated request.
 *
 * @param scopes the scopes of the key
 */
public record ApiCaller(long accountId, long keyId, Plan plan, Set<Scope> scopes) {
    public ApiCaller {
        scopes = Set.copyOf(scopes);
    }
}
