package dev.plumbline.instant;

import java.util.Map;

/**
 * Somebody asks for an instant check.
 *
 * @param target as it was typed, decoded
 * @param options as they were typed, by name
 * @param client whose quota pays: a client address, or an IPv6 client's /64
 * @param requestId for the log
 * @param fromOurselves whether the request came from a check of this service or of another like it
 */
public record InstantRequest(
        String module,
        String target,
        Map<String, String> options,
        String client,
        String requestId,
        boolean fromOurselves) {}
