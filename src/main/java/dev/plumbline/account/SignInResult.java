package dev.plumbline.account;

import org.jspecify.annotations.Nullable;

/** How an attempt to sign in, to sign up or to change a password can end. */
public sealed interface SignInResult {

    /** Signed in, with a new token. */
    record Success(AuthenticatedUser signedIn) implements SignInResult {}

    /**
     * The password was changed; nobody else is signed in any more.
     *
     * @param signedIn with a new token; null if the session has ended meanwhile
     */
    record PasswordChanged(@Nullable AuthenticatedUser signedIn) implements SignInResult {}

    /** There is no such account, or that is not its password: nobody is told which. */
    record InvalidCredentials() implements SignInResult {}

    /** The password is right, but the account is disabled. */
    record Disabled() implements SignInResult {}

    /** Another account has that e-mail address. */
    record EmailTaken() implements SignInResult {}

    /**
     * There were too many failures.
     *
     * @param policy which quota is used up
     * @param retryAfterSeconds at least 1
     */
    record RateLimited(String policy, int retryAfterSeconds) implements SignInResult {}
}
