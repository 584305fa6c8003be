package dev.plumbline.probe.tcp;

import dev.plumbline.target.PrintableText;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the banner that a server sends first: complete lines up to one that announces no other (RFC 959 section 4.2),
 * at most {@value #MAX_BYTES} bytes. Sends nothing.
 */
public final class BannerScript implements TcpProbe.Script {
    static final int MAX_BYTES = 1_024;

    @Override
    public @Nullable Buffer next(Buffer received) {
        int length = received.length();
        if (length >= MAX_BYTES) {
            return null;
        }
        if (length == 0 || received.getByte(length - 1) != '\n') {
            return Buffer.buffer();
        }
        String text = received.toString(StandardCharsets.ISO_8859_1);
        String last = text.substring(text.lastIndexOf('\n', length - 2) + 1);
        boolean continues = last.length() > 3
                && last.charAt(3) == '-'
                && last.chars().limit(3).allMatch(c -> c >= '0' && c <= '9');
        return continues ? Buffer.buffer() : null;
    }

    /** The banner with dots for characters that are not printable, null if the server sent nothing. */
    public static @Nullable String text(Buffer received) {
        String text = received.getString(0, Math.min(received.length(), MAX_BYTES), "UTF-8");
        return received.length() == 0
                ? null
                : PrintableText.lines(text.replace("\r\n", "\n").stripTrailing());
    }
}
