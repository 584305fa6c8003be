package dev.plumbline.probe.http;

import java.nio.charset.StandardCharsets;

/** Bodies for evaluation tests. */
public final class TestBodies {
    private TestBodies() {}

    /** A complete body in UTF-8. */
    public static HttpBody of(String text) {
        return new HttpBody(text.getBytes(StandardCharsets.UTF_8), false);
    }

    /** @param truncated whether the body has more bytes */
    public static HttpBody of(byte[] bytes, boolean truncated) {
        return new HttpBody(bytes, truncated);
    }
}
