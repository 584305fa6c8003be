package dev.plumbline.probe.dns;

import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.dns.MissingName;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;

/**
 * The result of one lookup, for checks that evaluate failed lookups too.
 *
 * @param type the name of the record type, for example {@code MX}
 * @param response of any response code; null if there is a failure
 * @param failure {@code target_blocked} if the response contains private names or addresses
 */
public record DnsLookupResult(String type, @Nullable DnsResponse response, @Nullable CheckError failure) {

    /** Whether the response code is NOERROR or NXDOMAIN. */
    public boolean succeeded() {
        return response != null && !response.failed();
    }

    public boolean blocked() {
        return failure != null && failure.code() == ErrorCode.TARGET_BLOCKED;
    }

    public boolean nxdomain() {
        return response != null && response.nxdomain();
    }

    /** The name that does not exist; null unless its absence is proven. */
    public @Nullable MissingName missing() {
        return response == null ? null : response.missing();
    }

    /** The records of the type, at the end of the CNAME chain. */
    public List<Record> records() {
        return response == null ? List.of() : response.records();
    }

    /** The texts of the TXT records; empty without a response. */
    public List<String> texts() {
        return response == null ? List.of() : response.texts();
    }

    /** The targets of the CNAME chain, in order. */
    public List<Name> aliases() {
        return response == null ? List.of() : response.aliases();
    }

    /** The end of the CNAME chain; null if there is none. */
    public @Nullable String alias() {
        List<Name> chain = aliases();
        return chain.isEmpty() ? null : DnsResolver.text(chain.get(chain.size() - 1));
    }

    /** Whether the name has records or a CNAME chain, shown or not. */
    public boolean hasRecords() {
        return blocked() || !records().isEmpty() || !aliases().isEmpty();
    }

    /** The failure, or {@code dns_servfail} for any other response code; null on success. */
    public @Nullable CheckError error() {
        return response == null || !response.failed()
                ? failure
                : new CheckError(
                        ErrorCode.DNS_SERVFAIL, "The DNS resolver returned " + Rcode.string(response.rcode()) + ".");
    }
}
