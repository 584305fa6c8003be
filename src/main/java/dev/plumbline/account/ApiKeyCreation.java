package dev.plumbline.account;

/** The outcome of the creation of an API key. */
public sealed interface ApiKeyCreation {

    /**
     * The key was created.
     *
     * @param secret the key; it is not stored and cannot be shown again
     */
    record Created(String secret, ApiKey key) implements ApiKeyCreation {
        /** Omits the secret. */
        @Override
        public String toString() {
            return "Created[" + key + "]";
        }
    }

    /** The account has the maximum number of valid keys. */
    record TooMany() implements ApiKeyCreation {}

    /** The account does not exist or is deleted. */
    record NoAccount() implements ApiKeyCreation {}
}
