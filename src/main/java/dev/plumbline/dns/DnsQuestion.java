package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import org.xbill.DNS.Record;

/**
 * The content and recipient of a query.
 *
 * @param record the queried name, type and class
 */
public record DnsQuestion(SocketAddress server, Record record, Flags flags) {

    /**
     * The flags of a query (RFC 1035 section 4.1.1, RFC 4035 section 3.2, RFC 6891).
     *
     * @param recursionDesired the RD bit; set for resolvers, not for nameservers
     * @param edns whether to add an OPT record
     * @param dnssecOk the DO bit: the response contains signatures; requires EDNS
     * @param checkingDisabled the CD bit: a resolver returns records that it could not validate
     */
    public record Flags(boolean recursionDesired, boolean edns, boolean dnssecOk, boolean checkingDisabled) {
        /** A query to a recursive resolver. */
        public static final Flags RECURSIVE = new Flags(true, true, false, false);

        /** A query to an authoritative nameserver. */
        public static final Flags ITERATIVE = new Flags(false, true, false, false);

        /** A query to a recursive resolver for records with their signatures, also if these are not valid. */
        public static final Flags SIGNED = new Flags(true, true, true, true);

        /** The same flags without EDNS. */
        public Flags withoutEdns() {
            return new Flags(recursionDesired, false, false, checkingDisabled);
        }
    }

    /** The failure of a server to which the query cannot be sent. */
    CheckFailure unreachable() {
        return flags.recursionDesired()
                ? failed("is unreachable.")
                : new CheckFailure(
                        ErrorCode.CONNECT_UNREACHABLE, "No route to the nameserver " + server.hostAddress() + ".");
    }

    /** The failure of a nameserver without a program on the port. */
    CheckFailure refused() {
        return new CheckFailure(
                ErrorCode.CONNECT_REFUSED,
                "%s does not accept UDP packets on port %s.".formatted(subject(), server.port()));
    }

    CheckFailure timeout() {
        return flags.recursionDesired()
                ? new CheckFailure(ErrorCode.DNS_TIMEOUT, "The DNS lookup timed out.")
                : new CheckFailure(ErrorCode.DNS_TIMEOUT, subject() + " did not respond.");
    }

    CheckFailure failed(String predicate) {
        return new CheckFailure(ErrorCode.DNS_SERVFAIL, subject() + " " + predicate);
    }

    private String subject() {
        InetAddress address = IpAddressText.parse(server.hostAddress());
        return flags.recursionDesired() || address == null
                ? "The DNS resolver"
                : "The nameserver " + IpAddressText.format(address);
    }
}
