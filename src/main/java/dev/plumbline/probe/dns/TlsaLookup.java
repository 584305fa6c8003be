package dev.plumbline.probe.dns;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dnssec.DnssecStatus;
import dev.plumbline.dnssec.ValidatedAnswer;
import dev.plumbline.result.CheckError;
import io.vertx.core.Future;
import java.util.List;
import org.xbill.DNS.TLSARecord;
import org.xbill.DNS.Type;

/**
 * The TLSA records of a port and the hostname to which they belong.
 *
 * @param host the host, or the target of its aliases
 * @param name the owner of the TLSA records
 */
public record TlsaLookup(String host, String name, ValidatedLookup lookup) {

    /**
     * Looks up the records of the alias target, if the aliases are secure, and of the host (RFC 7671 section 7). Fails
     * with {@code dns_nxdomain} if the host or the target of its alias does not exist.
     */
    public static Future<TlsaLookup> of(CheckContext context, String host, int port) {
        return context.probe(DnssecProbe.class)
                .lookup(context, host, Type.A, true)
                .compose(TlsaLookup::requireName)
                .compose(address -> {
                    String expanded = DnsResolver.text(address.result().last().name());
                    return address.secure() && !expanded.equals(host)
                            ? lookup(context, expanded, port)
                                    .compose(found -> found.requiresTls()
                                            ? Future.succeededFuture(found)
                                            : lookup(context, host, port))
                            : lookup(context, host, port);
                });
    }

    private static Future<ValidatedLookup> requireName(ValidatedLookup address) {
        ValidatedAnswer last = address.result().last();
        return address.error() == null && address.status() != DnssecStatus.BOGUS && last.nxdomain()
                ? Future.failedFuture(new CheckFailure(CheckError.nameNotFound(DnsResolver.text(last.name()))))
                : Future.succeededFuture(address);
    }

    private static Future<TlsaLookup> lookup(CheckContext context, String host, int port) {
        String name = "_%d._tcp.%s".formatted(port, host);
        return context.probe(DnssecProbe.class)
                .lookup(context, name, Type.TLSA, true)
                .map(lookup -> new TlsaLookup(host, name, lookup));
    }

    public List<TLSARecord> records() {
        return lookup.records().stream()
                .filter(TLSARecord.class::isInstance)
                .map(TLSARecord.class::cast)
                .toList();
    }

    /**
     * Whether clients that use DANE do not connect without TLS. Secure records have this effect even if none of them is
     * usable (RFC 7672 section 2.2).
     */
    public boolean requiresTls() {
        return lookup.secure() && !records().isEmpty();
    }
}
