package dev.plumbline.instant;

import java.util.Map;

/**
 * A request for an instant check.
 *
 * @param target decoded, not normalized
 * @param options values by name, not validated
 * @param payer the quota that is charged
 * @param requestId for the log
 * @param fromCheck whether a check of this service or another instance sent the request
 */
public record InstantRequest(
        String module, String target, Map<String, String> options, Payer payer, String requestId, boolean fromCheck) {

    /**
     * The payer of a fresh check.
     *
     * @param policy {@link InstantChecks#POLICY} or {@link InstantChecks#KEY_POLICY}
     * @param key the client address (a /64 prefix for IPv6), or the ID of the API key
     */
    public record Payer(String policy, String key) {
        /** A client without key. */
        public static Payer client(String address) {
            return new Payer(InstantChecks.POLICY, address);
        }

        /** A client with an API key that has its own quota. */
        public static Payer apiKey(long id) {
            return new Payer(InstantChecks.KEY_POLICY, Long.toString(id));
        }
    }
}
