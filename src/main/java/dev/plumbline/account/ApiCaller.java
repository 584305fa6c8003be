package dev.plumbline.account;

import java.util.Set;

/**
 * Who is behind a key: a living account, by a key that is valid.
 *
 * @param scopes what the key may be used for
 */
public record ApiCaller(long accountId, long keyId, Plan plan, Set<Scope> scopes) {
    public ApiCaller {
        scopes = Set.copyOf(scopes);
    }
}
