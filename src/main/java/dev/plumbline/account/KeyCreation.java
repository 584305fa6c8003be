package dev.plumbline.account;

/** What became of the wish for a new API key. */
public sealed interface KeyCreation {

  /**
   * There it is.
   *
   * @param secret the key itself; nobody can tell it ever again
   */
  record Created(String secret, ApiKey key) implements KeyCreation {
    /** Hides the secret. */
    @Override
    public String toString() {
      return "Created[" + key + "]";
    }
  }

  /** The account has as many live keys as it may have. */
  record TooMany() implements KeyCreation {}

  /** There is no such account, or it was deleted. */
  record NoAccount() implements KeyCreation {}
}
