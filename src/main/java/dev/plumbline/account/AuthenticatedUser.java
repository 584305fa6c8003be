package dev.plumbline.account;

import org.jspecify.annotations.Nullable;

/**
 * The account and session of a request.
 *
 * @param newToken the token that replaces the current one; null if it is not replaced
 */
public record AuthenticatedUser(Account account, Session session, @Nullable String newToken) {
    /** Omits the token. */
    @Override
    public String toString() {
        return "SignedIn[account=" + account.id() + ", session=" + session.id() + "]";
    }
}
