package dev.plumbline.probe.routing;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.IpPrefix;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.ReverseMap;
import org.xbill.DNS.Type;

/**
 * Lookups of the routes of an address in the DNS zones of the setting {@code asn.zones}, which have the form of the IP
 * to ASN mapping of Team Cymru: {@code 31.108.90.216.origin.asn.cymru.com} has the TXT record {@code "23028 |
 * 216.90.108.0/24 | US | arin | 1998-09-25"}, with several AS numbers if several AS announce the prefix, and several
 * records if there are several prefixes.
 */
public final class OriginProbe {
    public static final String V4 = "ipv4";
    public static final String V6 = "ipv6";

    /** More than any prefix on the internet has. */
    private static final int MAX_ROUTES = 10;

    private final DnsProbe dns;
    private final Map<String, List<String>> zones;

    /** @param zones of the families {@value #V4} and {@value #V6}, at most one each */
    public OriginProbe(DnsProbe dns, Map<String, List<String>> zones) {
        this.dns = dns;
        this.zones = zones;
    }

    /**
     * The routes of an address.
     *
     * @param routes empty if there is none or the lookup failed
     * @param error why the lookup failed; null if it succeeded
     */
    public record Origins(List<Route> routes, @Nullable CheckError error) {
        /** The routes with the longest prefix, which routers use; the validity of the others does not matter. */
        public List<Route> mostSpecific() {
            int longest = routes.stream()
                    .mapToInt(route -> route.prefix().length())
                    .max()
                    .orElse(0);
            return routes.stream()
                    .filter(route -> route.prefix().length() == longest)
                    .toList();
        }
    }

    /** Whether there is a zone for the family of the address. */
    public boolean supports(InetAddress address) {
        return zones.containsKey(family(address));
    }

    private static String family(InetAddress address) {
        return address.getAddress().length == 4 ? V4 : V6;
    }

    /**
     * Looks up the routes of an address, which must not be private, because the zone can belong to a third party. Fails
     * with a cause other than {@link CheckFailure} only.
     *
     * @throws IllegalArgumentException if there is no zone for the address
     */
    public Future<Origins> lookup(CheckContext context, InetAddress address) {
        List<String> configured = zones.get(family(address));
        if (configured == null) {
            throw new IllegalArgumentException("no zone for " + family(address));
        }
        String zone = configured.get(0).replaceAll("\\.$", "");
        String name = ReverseMap.fromAddress(address).toString().replaceFirst("[^.]+\\.arpa\\.$", "") + zone;
        return dns.queryCodes(context, name, Type.TXT)
                .map(response -> origins(response.texts(), address, zone))
                .recover(CheckFailure.otherwise(error -> new Origins(List.of(), error)));
    }

    static Origins origins(List<String> texts, InetAddress address, String zone) {
        List<Route> routes = new ArrayList<>();
        for (String text : texts) {
            List<Route> ofRecord = routes(text, address);
            if (ofRecord.isEmpty() || routes.size() + ofRecord.size() > MAX_ROUTES) {
                return new Origins(
                        List.of(),
                        new CheckError(
                                ErrorCode.REGISTRY_UNAVAILABLE,
                                "The TXT record of the address in " + zone + " does not have the expected form."));
            }
            routes.addAll(ofRecord);
        }
        return new Origins(routes.stream().distinct().toList(), null);
    }

    /** Empty if the text does not have the expected form, or if the prefix does not contain the address. */
    private static List<Route> routes(String text, InetAddress address) {
        String[] columns = text.split("\\|", -1);
        IpPrefix prefix = columns.length < 2 ? null : IpPrefix.parse(columns[1].strip());
        if (prefix == null || !prefix.contains(address)) {
            return List.of();
        }
        List<Route> routes = new ArrayList<>();
        for (String number : columns[0].strip().split(" +")) {
            long asn = VrpReader.asn(number);
            if (asn < 0) {
                return List.of();
            }
            routes.add(new Route(prefix, asn));
        }
        return routes;
    }
}
