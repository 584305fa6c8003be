package dev.plumbline.lab;

import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Map;

/** An RDAP server for addresses, and the bootstrap registries that refer to it. */
final class AddressRegistry {
    private static final String NO_CONTACT =
            "{\"objectClassName\":\"ip network\",\"startAddress\":\"9.1.0.0\",\"endAddress\":\"9.1.255.255\",\"name\":\"LAB-2\"}";

    private final HttpServer server;

    AddressRegistry(Vertx vertx, LabPorts ports) {
        server = Await.value(
                vertx.createHttpServer().requestHandler(this::respond).listen(ports.next(), "127.0.0.1"));
    }

    private void respond(HttpServerRequest request) {
        String base = "http://127.0.0.1:" + server.actualPort() + "/";
        Map<String, String> documents = Map.of(
                "/dns.json", RdapNetworks.bootstrap(base, "lab-rdap"),
                "/ipv4.json", RdapNetworks.bootstrap(base, "9.0.0.0/8"),
                "/ipv6.json", RdapNetworks.bootstrap(base, "2620::/23"),
                "/asn.json", RdapNetworks.bootstrap(base, "64496-64511"),
                "/ip/9.0.0.1",
                        RdapNetworks.arin("9.0.0.0", "9.0.255.255", "LAB-1", "Lab Inc.", "abuse@lab.test", "64500"),
                "/ip/2620::1", RdapNetworks.ripe("2620::", "2620:0:ff::", "LAB-6", "DE", "Lab GmbH", "abuse@lab.test"),
                "/autnum/64500", "{\"startAutnum\":64500,\"endAutnum\":64500,\"name\":\"LAB-AS\"}",
                "/ip/9.1.0.1", NO_CONTACT,
                "/ip/9.3.0.1", "[".repeat(100_000));
        HttpServerResponse response = request.response();
        String document = documents.get(request.path());
        switch (request.path()) {
            case "/ip/9.2.0.1" -> response.setStatusCode(429).end();
            case "/ip/9.2.0.2" ->
                response.setStatusCode(302)
                        .putHeader("location", "http://" + HttpLab.CANARY_ADDRESS + ":" + server.actualPort() + "/")
                        .end();
            case "/ip/9.2.0.3" -> response.end("{\"entities\":[" + "{},".repeat(100_000) + "{}]}");
            default -> response.setStatusCode(document == null ? 404 : 200).end(document == null ? "" : document);
        }
    }

    List<LabTarget> targets() {
        return List.of(
                new LabTarget("ip-registration", "9.0.0.1", "asn=64500"),
                new LabTarget("ip-registration", "2620::1", "asn=64511; from the zone of the operator"),
                new LabTarget("ip-registration", "9.1.0.1", "verdict=warn; no abuse contact"),
                new LabTarget("ip-registration", "9.4.0.1", "verdict=warn; not registered"),
                new LabTarget("ip-registration", "7.0.0.1", "reserved=true; not allocated"),
                new LabTarget("ip-registration", "127.0.0.1", "reserved=true; a special-purpose address"),
                new LabTarget("ip-registration", "9.2.0.1", "rate_limited"),
                new LabTarget("ip-registration", "9.2.0.2", "redirect_blocked"),
                new LabTarget("ip-registration", "9.2.0.3", "registry_unavailable"),
                new LabTarget("ip-registration", "9.3.0.1", "registry_unavailable"));
    }

    /** The URL of the registry of domains, in the format of the setting {@code rdap.bootstrap}. */
    String bootstrap() {
        return "http://127.0.0.1:" + server.actualPort() + "/dns.json";
    }

    int port() {
        return server.actualPort();
    }
}
