package dev.plumbline.probe.registry;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import java.util.List;

/**
 * An RDAP response.
 *
 * @param servers the hostnames of the servers: the first one, and those of the redirects
 * @param status the HTTP status: 200 for a registered object, 404 for an unregistered one (RFC 7480 section 5)
 */
public record RdapResponse(List<String> servers, int status, String body) {

    public String server() {
        return servers.get(servers.size() - 1);
    }

    /**
     * Whether the object is registered.
     *
     * @throws CheckFailure if the status is neither 200 nor 404
     */
    public boolean found() throws CheckFailure {
        if (status == 200 || status == 404) {
            return status == 200;
        }
        throw status == 403 || status == 429
                ? new CheckFailure(
                        ErrorCode.RATE_LIMITED,
                        "The RDAP server " + server() + " rejected the request because of its rate limit.")
                : new CheckFailure(
                        ErrorCode.REGISTRY_UNAVAILABLE,
                        "The RDAP server " + server() + " returned status " + status + ".");
    }

    /** The failure of a response whose body is not the requested object. */
    public CheckFailure invalid(String object) {
        return new CheckFailure(
                ErrorCode.REGISTRY_UNAVAILABLE,
                "The response of the RDAP server " + server() + " is not a valid RDAP response for " + object + ".");
    }
}
