package dev.plumbline.account;

import org.jspecify.annotations.Nullable;

/**
 * An enabled account and its current session.
 *
 * @param newToken the token that replaces the current one; null if it does not change
 */
public record AuthenticatedUser(Account account, Session session, @Nullable String newToken) {
    /** Hides the token. */
    @Override
    public String toString() {
        return "SignedIn[account=" + account.id() + ", session=" + session.id() + "]";
    }
}
