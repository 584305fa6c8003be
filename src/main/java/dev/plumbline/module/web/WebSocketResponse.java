package dev.plumbline.module.web;

import com.google.common.hash.Hashing;
import dev.plumbline.probe.http.HeaderParser;
import dev.plumbline.probe.http.ResponseHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Validates the headers of a response with status 101 (RFC 6455 section 4.2.2), as Chromium does: the RFC also permits
 * clients to continue without a subprotocol and to ignore empty list elements. Pure; linear time.
 */
final class WebSocketResponse {
    /** The extension that browsers offer (RFC 7692 section 7), with the parameter that Chromium sends. */
    static final String OFFERED_EXTENSIONS = "permessage-deflate; client_max_window_bits";

    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final String DEFLATE = "permessage-deflate";
    private static final Set<String> FLAGS = Set.of("server_no_context_takeover", "client_no_context_takeover");
    private static final Set<String> WINDOW_BITS = Set.of("server_max_window_bits", "client_max_window_bits");

    private WebSocketResponse() {}

    /** The value of Sec-WebSocket-Accept for a key (RFC 6455 section 4.2.2). */
    @SuppressWarnings("deprecation") // SHA-1 is required by RFC 6455
    static String accept(String key) {
        return Base64.getEncoder()
                .encodeToString(Hashing.sha1()
                        .hashString(key + GUID, StandardCharsets.US_ASCII)
                        .asBytes());
    }

    /** Whether the headers Upgrade and Connection confirm the switch to the WebSocket protocol. */
    static boolean confirmsUpgrade(ResponseHeaders headers) {
        String upgrade = headers.joined("upgrade");
        return upgrade != null
                && upgrade.strip().equalsIgnoreCase("websocket")
                && headers.elements("connection").contains("upgrade");
    }

    /** The negotiated extensions with their parameters; empty elements of the list are invalid. */
    static List<String> extensions(ResponseHeaders headers) {
        String header = headers.joined("sec-websocket-extensions");
        return header == null ? List.of() : HeaderParser.split(header, ',');
    }

    /** Why clients reject the extensions, as a sentence; null if they are valid. */
    static @Nullable String extensionError(List<String> extensions) {
        boolean negotiated = false;
        for (String extension : extensions) {
            if (extension.isEmpty()) {
                return "The list contains an empty element.";
            }
            List<String> parts = HeaderParser.split(extension, ';');
            if (!parts.get(0).equals(DEFLATE)) {
                return "The extension " + parts.get(0) + " was not offered.";
            }
            if (negotiated) {
                return "The extension permessage-deflate is repeated.";
            }
            negotiated = true;
            String error = parameterError(parts.subList(1, parts.size()));
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    private static @Nullable String parameterError(List<String> parameters) {
        Set<String> names = new TreeSet<>();
        for (String parameter : parameters) {
            String[] parts = parameter.split("=", 2);
            String name = parts[0].strip();
            String value = parts.length == 1 ? null : HeaderParser.unquoted(parts[1].strip());
            if (!names.add(name)) {
                return "The parameter " + name + " of permessage-deflate is repeated.";
            }
            boolean valid = FLAGS.contains(name)
                    ? value == null
                    : WINDOW_BITS.contains(name) && value != null && value.matches("[89]|1[0-5]");
            if (!valid) {
                return "The parameter " + parameter + " of permessage-deflate is not valid.";
            }
        }
        return null;
    }

    /** The supported protocol versions of a response that rejects the offered one; empty if they include it. */
    static List<String> otherVersions(ResponseHeaders headers) {
        List<String> versions = headers.elements("sec-websocket-version");
        return versions.contains("13") ? List.of() : versions;
    }
}
