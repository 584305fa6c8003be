package dev.plumbline.module.dns.record;

import dev.plumbline.check.CheckContext;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/**
 * The nameservers or mail servers of a domain and their addresses.
 *
 * @param servers by name; at most {@value #MAX_SERVERS}
 * @param error why they are unknown; null if they are known
 */
public record ServerHosts(List<Server> servers, @Nullable CheckError error) {
    public static final int MAX_SERVERS = 20;

    /** @param host in lower case without the final dot */
    public record Server(String host, HostAddresses addresses) {}

    /** The servers of the NS records of the zone of a domain. */
    public static Future<ServerHosts> nameservers(CheckContext context, String domain) {
        return context.probe(DnsProbe.class).lookup(context, domain, "NS").compose(lookup -> {
            boolean apex = lookup.aliases().isEmpty() && !lookup.records().isEmpty();
            if (apex || lookup.error() != null) {
                return servers(context, lookup);
            }
            // a registrable domain can be a name in the zone of its public suffix, such as name.github.io
            return domain.indexOf('.') == domain.lastIndexOf('.')
                    ? Future.succeededFuture(new ServerHosts(
                            List.of(),
                            new CheckError(ErrorCode.DNS_NO_DATA, "No NS record was found for " + domain + ".")))
                    : nameservers(context, domain.substring(domain.indexOf('.') + 1));
        });
    }

    /** The servers of the MX records; empty without MX records and for a null MX record. */
    public static Future<ServerHosts> mailServers(CheckContext context, String domain) {
        return context.probe(DnsProbe.class).lookup(context, domain, "MX").compose(lookup -> servers(context, lookup));
    }

    private static Future<ServerHosts> servers(CheckContext context, DnsLookupResult lookup) {
        if (lookup.error() != null) {
            return Future.succeededFuture(new ServerHosts(List.of(), lookup.error()));
        }
        List<Future<Server>> servers = lookup.records().stream()
                .map(Record::getAdditionalName)
                .filter(name -> !name.equals(Name.root))
                .map(DnsResolver::text)
                .distinct()
                .sorted()
                .limit(MAX_SERVERS)
                .map(host -> context.probe(DnsProbe.class)
                        .addresses(context, host)
                        .map(addresses -> new Server(host, addresses)))
                .toList();
        return Future.all(servers).map(all -> new ServerHosts(all.<Server>list(), null));
    }
}
