package dev.plumbline.account;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request for a new API key.
 *
 * @param name valid by {@link #validateName}
 * @param scopes at least one
 * @param expiresAt null for never
 */
public record ApiKeyRequest(String name, Set<Scope> scopes, @Nullable Instant expiresAt) {
    /** In code points. */
    public static final int MAX_NAME_LENGTH = 100;

    private static final int ZERO_WIDTH_NON_JOINER = 0x200c;
    private static final int ZERO_WIDTH_JOINER = 0x200d;

    public ApiKeyRequest {
        scopes = Set.copyOf(scopes);
        if (validateName(name) != null || scopes.isEmpty()) {
            throw new IllegalArgumentException("the name is not valid or the scopes are missing");
        }
    }

    /** Returns the violated rule as a sentence; null if the name is valid. */
    public static @Nullable String validateName(String name) {
        int length = name.codePointCount(0, name.length());
        if (name.isBlank() || length > MAX_NAME_LENGTH) {
            return "The name of a key must have 1 to " + MAX_NAME_LENGTH + " characters.";
        }
        return name.codePoints().anyMatch(ApiKeyRequest::isForbidden)
                ? "The name of a key must not contain control characters."
                : null;
    }

    /** Control and format characters, unpaired surrogates and line separators. */
    private static boolean isForbidden(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.SURROGATE, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                true;
            // joiners are part of scripts and emoji
            case Character.FORMAT -> c != ZERO_WIDTH_JOINER && c != ZERO_WIDTH_NON_JOINER;
            default -> false;
        };
    }
}
