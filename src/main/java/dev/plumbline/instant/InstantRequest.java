package dev.plumbline.instant;

import java.util.Map;

/**
 * A request for an instant check.
 *
 * @param target as given, decoded
 * @param options as given, by name
 * @param client the rate limit key: the client address, or its /64 network for IPv6
 * @param requestId the request identifier, for the log
 * @param fromOurselves whether the request was sent by a check of this or another Plumbline service
 */
public record InstantRequest(
        String module,
        String target,
        Map<String, String> options,
        String client,
        String requestId,
        boolean fromOurselves) {}
