package dev.plumbline.account;

/** What became of the wish for a new API key. */
public sealed interface ApiKeyCreation {

    /**
     * There it is.
     *
     * @param secret the key itself; nobody can tell it ever again
     */
    record Created(String secret, ApiKey key) implements ApiKeyCreation {
        /** Hides the secret. */
        @Override
        public String toString() {
            return "Created[" + key + "]";
        }
    }

    /** The account has as many live keys as it may have. */
    record TooMany() implements ApiKeyCreation {}

    /** There is no such account, or it was deleted. */
    record NoAccount() implements ApiKeyCreation {}
}
