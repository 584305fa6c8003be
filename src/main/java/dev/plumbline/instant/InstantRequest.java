package dev.plumbline.instant;

import java.util.Map;

/**
 * A request for an instant check.
 *
 * @param target decoded, not normalized
 * @param options values by name, not validated
 * @param client the client address that is charged; a /64 prefix for IPv6
 * @param requestId for the log
 * @param fromCheck whether a check of this service or another instance sent the request
 */
public record InstantRequest(
        String module,
        String target,
        Map<String, String> options,
        String client,
        String requestId,
        boolean fromCheck) {}
