package dev.plumbline.probe.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.dns.MissingName;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of a host.
 *
 * @param ips IPv4 first, in numerical order, because the order of DNS records changes; empty if one of them is private
 * @param alias whether the host has a CNAME record
 * @param missing the name that does not exist: the host or the target of its CNAME record; null unless both lookups
 *     prove its absence
 * @param error why the A lookup, or else the AAAA lookup failed; null if both succeeded
 */
public record HostAddresses(
        State state, List<InetAddress> ips, boolean alias, @Nullable MissingName missing, @Nullable CheckError error) {
    private static final Comparator<InetAddress> ORDER = Comparator.comparing(
            InetAddress::getAddress,
            Comparator.<byte[]>comparingInt(bytes -> bytes.length).thenComparing(Arrays::compareUnsigned));

    /** For hosts that are not looked up. */
    public static final HostAddresses NOT_CHECKED = new HostAddresses(State.NOT_CHECKED, List.of(), false, null, null);

    /** The state of the lookup. */
    public enum State {
        FOUND,
        /** Addresses were found, but the A or the AAAA lookup failed. */
        PARTIAL,
        NONE,
        PRIVATE,
        /** No address was found, and the A or the AAAA lookup failed. */
        FAILED,
        NOT_CHECKED
    }

    /** The addresses of a host whose lookups succeeded. */
    public static HostAddresses found(List<InetAddress> ips) {
        return new HostAddresses(State.FOUND, ips, false, null, null);
    }

    /** Whether a lookup was not made because of a limit of the check, which is not an error of the nameservers. */
    public boolean limited() {
        return error != null && error.code() == ErrorCode.REQUEST_LIMIT;
    }

    /** These addresses; fails if none was found because a lookup failed. */
    public Future<HostAddresses> requireKnown() {
        return ips.isEmpty() && error != null
                ? Future.failedFuture(new CheckFailure(error))
                : Future.succeededFuture(this);
    }

    static HostAddresses of(DnsLookupResult a, DnsLookupResult aaaa) {
        CheckError error = a.error() != null ? a.error() : aaaa.error();
        if (a.blocked() || aaaa.blocked()) {
            return new HostAddresses(State.PRIVATE, List.of(), false, null, error);
        }
        List<InetAddress> ips = Stream.of(a, aaaa)
                .filter(DnsLookupResult::succeeded)
                .flatMap(result -> Stream.ofNullable(result.response()))
                .flatMap(response -> response.addresses().stream())
                .sorted(ORDER)
                .toList();
        State state = error == null ? State.FOUND : State.PARTIAL;
        if (ips.isEmpty()) {
            state = error == null ? State.NONE : State.FAILED;
        }
        boolean alias = !a.aliases().isEmpty() || !aaaa.aliases().isEmpty();
        MissingName missing = aaaa.missing() == null ? null : a.missing();
        return new HostAddresses(state, ips, alias, missing, error);
    }
}
