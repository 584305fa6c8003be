package dev.plumbline.module.web;

import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.target.Target;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.HTTPSRecord;
import org.xbill.DNS.SVCBBase;

/**
 * Where a client uses HTTP/3 for a URL.
 *
 * @param advertised whether the header or a record advertises it
 * @param port the UDP port: that of the first service on the host of the URL, or that of the URL
 * @param otherHost the host of the first service if all of them are on other hosts; null otherwise
 */
record Http3Service(boolean advertised, int port, @Nullable String otherHost) {

    /**
     * @param header the Alt-Svc header; null if it was not sent
     * @param lookups the lookups of HTTPS records, following aliases to other hosts
     */
    static Http3Service of(Target.Url url, @Nullable String header, List<DnsLookupResult> lookups) {
        String host = url.host().inUrl();
        String otherHost = null;
        for (AltSvc.Alternative service : header == null
                ? List.<AltSvc.Alternative>of()
                : AltSvc.parse(header).alternatives()) {
            if (service.protocol().equals(HttpVersions.HTTP3)) {
                if (service.host().isEmpty() || service.host().equals(host)) {
                    return new Http3Service(true, service.port(), null);
                }
                otherHost = otherHost == null ? service.host() : otherHost;
            }
        }
        for (DnsLookupResult lookup : lookups) {
            for (HTTPSRecord record : HttpVersions.records(lookup)
                    .filter(Http3Service::isAdvertisedBy)
                    .toList()) {
                // a root name means the owner name (RFC 9460 section 2.5.2), which is another host after an alias
                String owner =
                        lookup == lookups.get(0) ? host : record.getName().toString(true);
                String target = record.getTargetName().labels() > 1
                        ? record.getTargetName().toString(true)
                        : owner;
                if (target.toLowerCase(Locale.ROOT).equals(host)) {
                    return new Http3Service(true, port(record, url), null);
                }
                otherHost = otherHost == null ? target : otherHost;
            }
        }
        return new Http3Service(otherHost != null, url.port(), otherHost);
    }

    static boolean isAdvertisedBy(HTTPSRecord record) {
        return record.getSvcParamValue(SVCBBase.ALPN) instanceof SVCBBase.ParameterAlpn alpn
                && alpn.getValues().contains(HttpVersions.HTTP3);
    }

    private static int port(HTTPSRecord record, Target.Url url) {
        return record.getSvcParamValue(SVCBBase.PORT) instanceof SVCBBase.ParameterPort port && port.getPort() > 0
                ? port.getPort()
                : url.port();
    }
}
