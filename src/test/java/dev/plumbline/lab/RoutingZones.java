package dev.plumbline.lab;

import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.util.List;

/** An RPKI validator, a zone with the routes of IPv6 addresses, and domains with valid, invalid and unknown routes. */
final class RoutingZones {
    private static final String ZONE = "origin6.lab.test";

    private static final String PAYLOADS =
            """
            {"roas": [
              {"asn": "AS64496", "prefix": "2606:2800::/32", "maxLength": 48, "ta": "lab"},
              {"asn": "AS64498", "prefix": "2606:2801::/32", "maxLength": 32, "ta": "lab"},
              {"asn": "AS64496", "prefix": "93.184.216.0/24", "maxLength": 24, "ta": "lab"}]}
            """;

    private final HttpServer validator;

    RoutingZones(Vertx vertx, DnsLab dns, LabPorts ports) {
        validator = Await.value(vertx.createHttpServer()
                .requestHandler(request -> request.response().end(PAYLOADS))
                .listen(ports.next(), "127.0.0.1"));
        route(dns, "1." + "0.".repeat(23) + "0.0.8.2.6.0.6.2", "64496 | 2606:2800::/32");
        route(dns, "2." + "0.".repeat(23) + "0.0.8.2.6.0.6.2", "64496 | 2606:2800::/32");
        route(dns, "1." + "0.".repeat(23) + "1.0.8.2.6.0.6.2", "64497 64498 | 2606:2801::/32");
        route(dns, "1." + "0.".repeat(27) + "0.2.6.2", "64511 | 2620::/32");
        dns.address("rpki.lab.test", "2606:2800::1")
                .empty("www.rpki.lab.test")
                .record("rpki.lab.test. 300 IN NS ns.rpki.lab.test.")
                .address("ns.rpki.lab.test", "2606:2800::2")
                .address("hijacked.lab.test", "2606:2801::1")
                .empty("www.hijacked.lab.test")
                .record("hijacked.lab.test. 300 IN NS ns.rpki.lab.test.")
                .record("hijacked.lab.test. 300 IN MX 10 mx.hijacked.lab.test.")
                .address("mx.hijacked.lab.test", "93.184.218.1")
                .address("no-roa.lab.test", "93.184.219.1")
                .empty("www.no-roa.lab.test")
                .record("no-roa.lab.test. 300 IN NS ns.rpki.lab.test.")
                .address("covered.lab.test", "93.184.216.1")
                .empty("www.covered.lab.test")
                .record("covered.lab.test. 300 IN NS ns.rpki.lab.test.");
    }

    private static void route(DnsLab dns, String reversed, String route) {
        dns.record(reversed + "." + ZONE + ". 300 IN TXT \"" + route + " | US | arin | 2001-01-01\"");
    }

    /** The expected results. */
    static List<LabTarget> targets() {
        return List.of(
                new LabTarget("rpki", "rpki.lab.test", "invalid_count=0"),
                new LabTarget("rpki", "hijacked.lab.test", "invalid_count=1; and a route without a ROA"),
                new LabTarget("rpki", "no-roa.lab.test", "invalid_count=0; verdict=warn"),
                new LabTarget("rpki", "covered.lab.test", "verdict=pass; a ROA, but an unknown origin AS"),
                new LabTarget("rpki", "servfail.lab.test", "dns_servfail"));
    }

    /** The settings of the service, as environment variables. */
    List<String> environment() {
        return List.of(
                "PLUMBLINE_RPKI_VALIDATOR=http://127.0.0.1:" + validator.actualPort() + "/json",
                "PLUMBLINE_ASN_ZONES=ipv6=" + ZONE);
    }
}
