package dev.plumbline.account;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to create an API key.
 *
 * @param name a name without {@link #nameFault}
 * @param scopes at least one scope
 * @param expiresAt null if it does not expire
 */
public record ApiKeyRequest(String name, Set<Scope> scopes, @Nullable Instant expiresAt) {
    /** The maximum length of a name, in code points. */
    public static final int MAX_NAME_LENGTH = 100;

    private static final int ZERO_WIDTH_NON_JOINER = 0x200c;
    private static final int ZERO_WIDTH_JOINER = 0x200d;

    public ApiKeyRequest {
        scopes = Set.copyOf(scopes);
        if (nameFault(name) != null || scopes.isEmpty()) {
            throw new IllegalArgumentException("invalid name or no scope");
        }
    }

    /** Returns the error in the name of a key as a sentence; null if it is valid. */
    public static @Nullable String nameFault(String name) {
        int length = name.codePointCount(0, name.length());
        if (name.isBlank() || length > MAX_NAME_LENGTH) {
            return "The name must have 1 to " + MAX_NAME_LENGTH + " characters.";
        }
        return name.codePoints().anyMatch(ApiKeyRequest::isInvisible)
                ? "The name must not contain control characters."
                : null;
    }

    /** Whether the code point is a control or format character or an unpaired surrogate. */
    private static boolean isInvisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.SURROGATE, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                true;
            // these two join characters in some scripts and emoji
            case Character.FORMAT -> c != ZERO_WIDTH_JOINER && c != ZERO_WIDTH_NON_JOINER;
            default -> false;
        };
    }
}
