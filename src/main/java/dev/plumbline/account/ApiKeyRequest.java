package dev.plumbline.account;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a new API key is to be.
 *
 * @param name for people, without {@link #nameFault}
 * @param scopes at least one
 * @param expiresAt null for never
 */
public record ApiKeyRequest(String name, Set<Scope> scopes, @Nullable Instant expiresAt) {
    /** In code points. */
    public static final int LONGEST_NAME = 100;

    private static final int ZERO_WIDTH_NON_JOINER = 0x200c;
    private static final int ZERO_WIDTH_JOINER = 0x200d;

    public ApiKeyRequest {
        scopes = Set.copyOf(scopes);
        if (nameFault(name) != null || scopes.isEmpty()) {
            throw new IllegalArgumentException("a key without a proper name or without a scope");
        }
    }

    /** What keeps a text from being the name of a key, as a sentence; null: nothing. */
    public static @Nullable String nameFault(String name) {
        int length = name.codePointCount(0, name.length());
        if (name.isBlank() || length > LONGEST_NAME) {
            return "A key's name has 1 to " + LONGEST_NAME + " characters.";
        }
        return name.codePoints().anyMatch(ApiKeyRequest::isUnseen) ? "A key's name has no control characters." : null;
    }

    /** Nothing to see, or half a character, or apt to make a line look like another. */
    private static boolean isUnseen(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.SURROGATE, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                true;
            // scripts and emoji are joined by two of these
            case Character.FORMAT -> c != ZERO_WIDTH_JOINER && c != ZERO_WIDTH_NON_JOINER;
            default -> false;
        };
    }
}
