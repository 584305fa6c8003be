package dev.plumbline.instant;

import java.util.Map;

/**
 * A request for an instant check.
 *
 * @param target decoded, not normalized
 * @param options values by name, not validated
 * @param quotaKey the quota that a fresh check is charged to
 * @param requestId for the log
 * @param fromCheck whether a check of this service or another instance sent the request
 */
public record InstantRequest(
        String module,
        String target,
        Map<String, String> options,
        QuotaKey quotaKey,
        String requestId,
        boolean fromCheck) {

    /**
     * Identifies the quota that a fresh check is charged to.
     *
     * @param policy {@link InstantChecks#POLICY}, {@link InstantChecks#KEY_POLICY} or
     *     {@link InstantChecks#PROBE_POLICY}
     * @param key the client address (a /64 prefix for IPv6), or the ID of the API key
     */
    public record QuotaKey(String policy, String key) {
        /** A client without an API key. */
        public static QuotaKey client(String address) {
            return new QuotaKey(InstantChecks.POLICY, address);
        }

        /** A client with an API key that has its own quota. */
        public static QuotaKey apiKey(long id) {
            return new QuotaKey(InstantChecks.KEY_POLICY, Long.toString(id));
        }

        /** A probe of a client without an API key. */
        public static QuotaKey probe(String address) {
            return new QuotaKey(InstantChecks.PROBE_POLICY, address);
        }

        /** A probe with an API key. No address consists of digits only. */
        public static QuotaKey probe(long keyId) {
            return new QuotaKey(InstantChecks.PROBE_POLICY, Long.toString(keyId));
        }
    }
}
