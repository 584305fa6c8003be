package dev.plumbline.lab.domain;

import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.RdapNetworks;
import dev.plumbline.lab.TestCa;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The servers of domains on loopback addresses: web servers on the ports 80 and 443, nameservers on port 53, mail
 * servers on port 25, and an RDAP server. Requires root.
 */
public final class DomainLab implements AutoCloseable {
    private final FileLock addressLock = FreePorts.awaitDomainAddresses();
    private final Vertx registryVertx = Vertx.vertx();
    private final DnsLab resolver = DnsLab.start().rotating();
    private final DomainCas authorities = DomainCas.create();
    private final ParentZones parents = new ParentZones();
    private final Path folder;
    private final List<AutoCloseable> processes = new ArrayList<>();
    private final HttpServer registry;
    private final Consumer<Request> log;
    private volatile Map<String, DomainSpec> current = Map.of();
    private @Nullable Vertx vertx;
    private @Nullable DomainDns dns;

    /**
     * A request to a web server of a domain.
     *
     * @param headers without Host
     * @param client the address and port of the client, which are different for each connection
     */
    public record Request(
            HttpVersion version, HttpMethod method, String url, Map<String, String> headers, String client) {
        private static Request of(HttpServerRequest request) {
            Map<String, String> headers = new TreeMap<>();
            request.headers().forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
            headers.remove("host");
            return new Request(
                    request.version(),
                    request.method(),
                    request.absoluteURI(),
                    headers,
                    request.remoteAddress().toString());
        }
    }

    /** @param folder for the files to which the settings refer */
    public DomainLab(Path folder) throws IOException {
        this(folder, request -> {});
    }

    /** @param log receives each request to a web server */
    public DomainLab(Path folder, Consumer<Request> log) throws IOException {
        this.folder = folder.toAbsolutePath();
        this.log = log;
        this.registry = Await.value(registryVertx
                .createHttpServer()
                .requestHandler(request -> {
                    DomainSpec spec = current.get(request.path().replaceFirst(".*/domain/", ""));
                    JsonObject found = spec == null ? null : spec.registration().rdap(spec.zone());
                    request.response()
                            .setStatusCode(found == null ? 404 : 200)
                            .putHeader("content-type", "application/rdap+json")
                            .end(found == null ? "" : found.encode());
                })
                .listen(0, "127.0.0.1"));
        String server = "http://127.0.0.1:" + registry.actualPort() + "/rdap/";
        Files.writeString(
                folder.resolve("roots.pem"), TestCa.pem(authorities.root().certificate()));
        Files.writeString(folder.resolve("dns.json"), RdapNetworks.bootstrap(server, "test"));
        Files.writeString(folder.resolve("ipv4.json"), RdapNetworks.bootstrap(server, "9.0.0.0/8"));
        Files.writeString(folder.resolve("ipv6.json"), RdapNetworks.bootstrap(server, "2620::/23"));
        Files.writeString(folder.resolve("asn.json"), RdapNetworks.bootstrap(server, "64496-64511"));
    }

    public DnsLab resolver() {
        return resolver;
    }

    /** The settings of a service that checks the domain, by the name of the environment variable without the prefix. */
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("TARGETS_ALLOW", "127.0.0.0/8," + DomainAddresses.NETWORKS);
        settings.put("TARGETS_PORTS", "*");
        settings.put("TARGETS_PER_IP_PER_SECOND", "0");
        settings.put("TARGETS_PER_IP_CONCURRENT", "0");
        settings.put("TARGETS_DNS_PER_DOMAIN_PER_SECOND", "0");
        settings.put("REGISTRIES_PER_SERVER_PER_SECOND", "0");
        settings.put("REGISTRIES_PER_SERVER_CONCURRENT", "0");
        settings.put("DNS_SERVERS", resolver.address());
        settings.put("DNS_CACHE_ENTRIES", "0");
        settings.put("DNS_TRUST_ANCHORS", parents.trustAnchor());
        settings.put("RDAP_BOOTSTRAP", folder.resolve("dns.json").toString());
        settings.put("TLS_EXTRA_ROOTS", folder.resolve("roots.pem").toString());
        return settings;
    }

    /** Stops the servers of the domains before, and starts those of one domain. */
    public void serve(DomainSpec spec) {
        serve(List.of(spec));
    }

    /** Stops the servers of the domains before, and starts those of others, at least one. */
    public void serve(List<DomainSpec> specs) {
        stop();
        Vertx servers = Vertx.vertx();
        vertx = servers;
        Map<String, DomainSpec> domains = new LinkedHashMap<>();
        specs.forEach(spec -> domains.put(spec.domain(), spec));
        current = domains;
        DomainAddresses.add(addresses());
        Map<DomainSpec, List<String>> tlsaRecords = new LinkedHashMap<>();
        for (DomainSpec spec : specs) {
            TestCa.Identity mail = spec.mail().identity(authorities);
            tlsaRecords.put(spec, spec.mail().tlsaRecords(mail));
            DomainMailServer.start(servers, spec, mail);
            try {
                processes.addAll(DomainSite.start(
                        servers, spec, authorities, request -> log.accept(Request.of(request)), folder));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        dns = DomainDns.start(tlsaRecords, resolver, parents);
    }

    private List<DomainAddresses> addresses() {
        return current.values().stream().map(DomainSpec::addresses).toList();
    }

    private void stop() {
        for (AutoCloseable process : processes) {
            try {
                process.close();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }
        processes.clear();
        if (vertx != null) {
            Await.value(vertx.close());
            vertx = null;
        }
        if (dns != null) {
            dns.close();
            dns = null;
        }
        if (!current.isEmpty()) {
            DomainAddresses.remove(addresses());
            current = Map.of();
        }
    }

    @Override
    public void close() {
        stop();
        resolver.close();
        Await.value(registryVertx.close());
        try {
            addressLock.release();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
