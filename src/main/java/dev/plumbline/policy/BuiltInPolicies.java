package dev.plumbline.policy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The policies in the resources of the program. */
public final class BuiltInPolicies {
    private static final List<String> NAMES = List.of(
            "internet-nl-mail",
            "internet-nl-website",
            "mozilla-intermediate",
            "mozilla-modern",
            "mozilla-old",
            "ncsc-nl-good",
            "ncsc-nl-phase-out",
            "ncsc-nl-sufficient",
            "strict-headers");

    private BuiltInPolicies() {}

    public static List<String> names() {
        return NAMES;
    }

    /** The content of the file of a policy; null if it does not exist. */
    public static @Nullable String yaml(String name) {
        if (!NAMES.contains(name)) {
            return null;
        }
        try (InputStream file = BuiltInPolicies.class.getResourceAsStream(name + ".yaml")) {
            return file == null ? null : new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
