package dev.plumbline.probe.dns;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.CAARecord;

/**
 * The CAA records that apply to a name: those of the name, or of its closest ancestor that has any (RFC 8659 section
 * 3).
 *
 * @param effective the name with the records; null if there is none
 * @param alias the target of its CNAME record, which owns the records; null if it has none
 * @param records the CAA records
 * @param failed the name whose lookup failed; null if no lookup failed
 * @param error why it failed
 */
public record CaaLookup(
        String domain,
        @Nullable String effective,
        @Nullable String alias,
        List<CAARecord> records,
        @Nullable String failed,
        @Nullable CheckError error) {
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    /** Fails with {@code dns_nxdomain} if the name does not exist, and with {@code target_blocked}. */
    public static Future<CaaLookup> of(CheckContext context, String domain) {
        return climb(context, domain, domain);
    }

    /** The records of the name, or of its closest ancestor that has any. */
    private static Future<CaaLookup> climb(CheckContext context, String domain, String name) {
        return context.probe(DnsProbe.class).lookup(context, name, "CAA").compose(lookup -> {
            CheckError error = lookup.error();
            if (error != null) {
                return error.code() == ErrorCode.TARGET_BLOCKED
                        ? Future.failedFuture(new CheckFailure(error))
                        : Future.succeededFuture(new CaaLookup(domain, null, null, List.of(), name, error));
            }
            if (name.equals(domain) && lookup.nxdomain() && lookup.aliases().isEmpty()) {
                return Future.failedFuture(new CheckFailure(CheckError.nameNotFound(name)));
            }
            if (!lookup.records().isEmpty()) {
                return found(context, domain, name, lookup);
            }
            String parent = parent(name);
            return parent == null
                    ? Future.succeededFuture(new CaaLookup(domain, null, null, List.of(), null, null))
                    : climb(context, domain, parent);
        });
    }

    private static Future<CaaLookup> found(CheckContext context, String domain, String name, DnsLookupResult lookup) {
        List<CAARecord> records =
                lookup.records().stream().map(CAARecord.class::cast).toList();
        CaaLookup found = new CaaLookup(domain, name, lookup.alias(), records, null, null);
        return name.equals(domain) || name.indexOf('.') < 0
                ? Future.succeededFuture(found)
                : context.probe(DnsProbe.class)
                        .admitWithoutAddresses(context, name)
                        .map(found);
    }

    /** The name without its first label; null if that is the root or not a top-level domain. */
    private static @Nullable String parent(String name) {
        int dot = name.indexOf('.');
        String parent = name.substring(dot + 1);
        return dot < 0 || parent.indexOf('.') < 0 && !DOMAINS.isRegistrySuffix(parent) ? null : parent;
    }
}
