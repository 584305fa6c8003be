package dev.plumbline.account;

import org.jspecify.annotations.Nullable;

/** The outcome of a sign-in, a sign-up or a password change. */
public sealed interface SignInResult {

    /** Signed in with a new token. */
    record Success(AuthenticatedUser signedIn) implements SignInResult {}

    /**
     * The password was changed and all other sessions ended.
     *
     * @param signedIn the session with a new token; null if it has ended
     */
    record PasswordChanged(@Nullable AuthenticatedUser signedIn) implements SignInResult {}

    /** The account does not exist or the password is wrong. */
    record InvalidCredentials() implements SignInResult {}

    /** The password is correct, but the account is disabled. */
    record Disabled() implements SignInResult {}

    /** The e-mail address is taken. */
    record EmailTaken() implements SignInResult {}

    /**
     * Too many failed attempts.
     *
     * @param policy the exceeded quota
     * @param retryAfterSeconds at least 1
     */
    record RateLimited(String policy, int retryAfterSeconds) implements SignInResult {}
}
