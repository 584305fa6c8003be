package dev.plumbline.account;

/** The outcome of creating an API key. */
public sealed interface ApiKeyCreation {

    /**
     * The key was created.
     *
     * @param secret the key, which is not stored
     */
    record Created(String secret, ApiKey key) implements ApiKeyCreation {
        /** Hides the secret. */
        @Override
        public String toString() {
            return "Created[" + key + "]";
        }
    }

    /** The account has the maximum number of active keys. */
    record TooMany() implements ApiKeyCreation {}

    /** The account does not exist or was deleted. */
    record NoAccount() implements ApiKeyCreation {}
}
