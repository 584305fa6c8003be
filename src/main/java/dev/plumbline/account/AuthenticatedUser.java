package dev.plumbline.account;

import org.jspecify.annotations.Nullable;

/**
 * An account that may be used, and the session by which somebody uses it.
 *
 * @param newToken what the client has to carry from now on; null: what it has
 */
public record AuthenticatedUser(Account account, Session session, @Nullable String newToken) {
    /** Hides the token. */
    @Override
    public String toString() {
        return "SignedIn[account=" + account.id() + ", session=" + session.id() + "]";
    }
}
