package dev.plumbline.result;

/** What to do about an error of a check that does not have a finding with an action. */
public final class ErrorAction {
    private ErrorAction() {}

    /** The action as a command. Only the actions of temporary errors ask for another check. */
    public static String of(ErrorCode code) {
        return switch (code) {
            case DNS_NXDOMAIN -> "Check the spelling of the name, and that it is registered and has DNS records.";
            case DNS_NO_DATA -> "Add the missing DNS record, or check the spelling of the name.";
            case DNS_SERVFAIL ->
                "Check the nameservers and the DNSSEC signatures of the domain."
                        + " If other domains fail as well, check the DNS resolver of the service.";
            case DNS_TIMEOUT ->
                "Run this check again. If it fails again, check that the nameservers of the domain respond.";
            case CONNECT_REFUSED -> "Start the server, or configure it to listen on this address and port.";
            case CONNECT_TIMEOUT ->
                "Check that the server is running, and that its firewall allows connections to this port.";
            case CONNECT_UNREACHABLE -> "Check the address in DNS, and the routing of the server's network.";
            case CONNECTION_RESET, HTTP_PROTOCOL_ERROR, SMTP_PROTOCOL_ERROR ->
                "Check the log of the server, and of the proxies and firewalls in front of it.";
            case TLS_HANDSHAKE_FAILED ->
                "Check the TLS configuration of the server: protocol versions, cipher suites and certificate.";
            case TLS_UNTRUSTED -> "Install a valid certificate with its complete chain.";
            case RESPONSE_TOO_LARGE -> "Reduce the size of the response.";
            case READ_TIMEOUT -> "Check the load and the log of the server, and of the backends it waits for.";
            case TOO_MANY_REDIRECTS -> "Redirect directly to the final URL.";
            case REDIRECT_LOOP -> "Fix the redirect rules of the server and of the proxies in front of it.";
            case REDIRECT_BLOCKED -> "Redirect to a public HTTP or HTTPS URL.";
            case TARGET_BLOCKED ->
                "Use a public address and an allowed port. An operator can change `targets.allow`, `targets.deny` and `targets.ports`.";
            case INVALID_TARGET -> "Enter another target.";
            case UNSUPPORTED_TLD -> "Look up the domain at its registry.";
            case REGISTRY_UNAVAILABLE ->
                "Run this check again later. If it fails again, an operator can check the DNS resolver and the outgoing connections of the service.";
            case NOT_CONFIGURED -> "As the operator of this service, configure the setting that the message names.";
            case RATE_LIMITED -> "Run this check again later.";
            case REQUEST_LIMIT -> "Run this check separately.";
            case DEADLINE_EXCEEDED -> "Run this check again.";
            case INTERNAL ->
                "Run this check again. If it fails again, search the log of the service for the request ID.";
        };
    }
}
