package dev.plumbline.account;

import org.jspecify.annotations.Nullable;

/** The outcome of a sign-in, sign-up or password change. */
public sealed interface SignInResult {

    /** Success, with a new token. */
    record Success(AuthenticatedUser signedIn) implements SignInResult {}

    /**
     * The password was changed, and all other sessions have ended.
     *
     * @param signedIn the session with a new token; null if it has ended
     */
    record PasswordChanged(@Nullable AuthenticatedUser signedIn) implements SignInResult {}

    /** The account does not exist or the password is incorrect. */
    record InvalidCredentials() implements SignInResult {}

    /** The password is correct, but the account is disabled. */
    record Disabled() implements SignInResult {}

    /** The e-mail address is in use. */
    record EmailTaken() implements SignInResult {}

    /**
     * A rate limit is exceeded.
     *
     * @param policy the exceeded rate limit
     * @param retryAfterSeconds at least 1
     */
    record RateLimited(String policy, int retryAfterSeconds) implements SignInResult {}
}
