package dev.plumbline.probe.dns;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import org.xbill.DNS.ReverseMap;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/** Lookups of addresses in the DNS blocklists of the operator (RFC 5782). */
public final class DnsblProbe {
    /** The maximum number of zones; further ones are ignored. */
    public static final int MAX_ZONES = 20;

    /** The test entries: listed and not listed in each zone in service (RFC 5782 section 5). */
    private static final InetAddress LISTED_V4 = IpAddressText.of("127.0.0.2");

    private static final InetAddress UNLISTED_V4 = IpAddressText.of("127.0.0.1");
    private static final InetAddress LISTED_V6 = IpAddressText.of("::ffff:127.0.0.2");
    private static final InetAddress UNLISTED_V6 = IpAddressText.of("::ffff:127.0.0.1");

    private final DnsProbe dns;
    private final TargetPolicy policy;
    private final List<String> zones;

    /** @param zones in the order of the results */
    public DnsblProbe(DnsProbe dns, TargetPolicy policy, List<String> zones) {
        this.dns = dns;
        this.policy = policy;
        this.zones = zones.stream()
                .map(zone -> zone.toLowerCase(Locale.ROOT).replaceAll("\\.$", ""))
                .distinct()
                .limit(MAX_ZONES)
                .toList();
    }

    public List<String> zones() {
        return zones;
    }

    /** Fails with {@code target_blocked} if an address must not be disclosed to blocklists. */
    public Future<Void> admit(InetAddress address) {
        String refusal = policy.refusalOf(address);
        return refusal == null
                ? Future.succeededFuture()
                : Future.failedFuture(new CheckFailure(ErrorCode.TARGET_BLOCKED, refusal));
    }

    /**
     * Looks up an address in a zone, and the test entry that shows whether the response is reliable. Fails with a cause
     * other than {@link CheckFailure} only.
     */
    public Future<DnsblLookup> lookup(CheckContext context, String zone, InetAddress address) {
        String name = reversed(address) + zone;
        boolean v4 = address.getAddress().length == 4;
        return dns.queryCodes(context, name, Type.A)
                .compose(response -> {
                    boolean listed = !response.addresses().isEmpty();
                    InetAddress test = listed ? v4 ? UNLISTED_V4 : UNLISTED_V6 : v4 ? LISTED_V4 : LISTED_V6;
                    Future<DnsResponse> control = dns.queryCodes(context, reversed(test) + zone, Type.A);
                    Future<List<String>> texts = listed ? texts(context, name) : Future.succeededFuture(List.of());
                    return Future.all(control, texts)
                            .map(done -> new DnsblLookup(
                                    zone,
                                    address,
                                    response.addresses(),
                                    texts.result(),
                                    control.result().addresses().isEmpty() == listed,
                                    null));
                })
                .recover(CheckFailure.otherwise(
                        error -> new DnsblLookup(zone, address, List.of(), List.of(), false, error)));
    }

    /** The TXT records of an entry; empty if the lookup fails, because they are optional. */
    private Future<List<String>> texts(CheckContext context, String name) {
        return dns.queryCodes(context, name, Type.TXT)
                .map(response -> response.records().stream()
                        .filter(TXTRecord.class::isInstance)
                        .map(record -> String.join("", ((TXTRecord) record).getStrings()))
                        .toList())
                .recover(CheckFailure.otherwise(error -> List.of()));
    }

    /** The labels of an address in a zone, with a final dot (RFC 5782 sections 2.1 and 2.4). */
    static String reversed(InetAddress address) {
        return ReverseMap.fromAddress(address).toString().replaceFirst("[^.]+\\.arpa\\.$", "");
    }
}
