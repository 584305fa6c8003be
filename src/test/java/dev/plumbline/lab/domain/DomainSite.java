package dev.plumbline.lab.domain;

import dev.plumbline.lab.FixedKeyManager;
import dev.plumbline.lab.ScriptedTlsServer;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.domain.DomainAddresses.Host;
import dev.plumbline.support.Await;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.OpensslServer;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** The web servers of a domain: the website on port 80 and 443, and the host of the MTA-STS policy on port 443. */
final class DomainSite {
    /** In the order in which the servers prefer them. */
    private static final List<String> CIPHERS = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384");

    /** The directives of nginx for TLS without faults. */
    private static final List<String> NGINX_TLS = List.of(
            "ssl_protocols TLSv1.2;",
            "ssl_ciphers ECDHE+AESGCM;",
            "ssl_ecdh_curve X25519:prime256v1:secp384r1;",
            "ssl_prefer_server_ciphers on;");

    /** An OCSP response with the status tryLater and without a certificate status (RFC 6960 section 4.2.1). */
    private static final byte[] OCSP_TRY_LATER = {0x30, 3, 0x0a, 1, 3};

    private final Vertx vertx;
    private final String domain;
    private final SiteSpec spec;
    private final Consumer<HttpServerRequest> log;

    private DomainSite(Vertx vertx, DomainSpec spec, Consumer<HttpServerRequest> log) {
        this.vertx = vertx;
        this.log = log;
        this.domain = spec.domain();
        this.spec = spec.site();
    }

    /**
     * Starts the servers.
     *
     * @param log receives each request
     * @param folder for the files of nginx
     * @return what must be closed in addition to {@code vertx}
     */
    static List<AutoCloseable> start(
            Vertx vertx, DomainSpec spec, DomainCas authorities, Consumer<HttpServerRequest> log, Path folder)
            throws IOException {
        DomainSite site = new DomainSite(vertx, spec, log);
        TestCa.Identity identity = spec.site().identity(authorities);
        List<AutoCloseable> processes = new ArrayList<>();
        ClientHelloRouter router = site.router(identity, folder, processes);
        String changes = spec.site().nginx();
        for (String address : spec.addresses().both(Host.SITE)) {
            boolean ipv6 = address.contains(":");
            site.listen(spec.site().state(false, ipv6), address, 80, new HttpServerOptions());
            if (router != null) {
                router.listen(vertx, address);
            } else if (changes == null) {
                site.listen(spec.site().state(true, ipv6), address, 443, site.tls(identity));
            }
        }
        HttpServerOptions policy = site.tls(spec.site().policyIdentity(authorities));
        spec.addresses().both(Host.MTA_STS).forEach(address -> site.listen(PortState.OPEN, address, 443, policy));
        if (changes != null) {
            processes.add(site.startNginx(spec.addresses(), identity, changes, folder));
        }
        return processes;
    }

    /** Starts the website and another server; null if there is no other one. */
    private @Nullable ClientHelloRouter router(TestCa.Identity identity, Path folder, List<AutoCloseable> processes)
            throws IOException {
        ScriptedTlsServer scripted = spec.scripted();
        List<String> openssl = spec.openssl();
        if (scripted == null && openssl == null) {
            return null;
        }
        int website = backend(tls(identity));
        if (scripted != null) {
            int port = Await.value(scripted.listen(vertx)).port();
            return new ClientHelloRouter(vertx, website, port, ClientHelloRouter::offersCompression);
        }
        identity.writePem(folder);
        List<String> options = new ArrayList<>(
                List.of("-cert_chain", folder.resolve("chain.pem").toString()));
        options.addAll(openssl);
        OpensslServer server = OpensslServer.start(folder, identity, options.toArray(String[]::new));
        processes.add(server);
        return new ClientHelloRouter(vertx, website, server.port(), ClientHelloRouter::offersNoAlpn);
    }

    /** Starts a web server on a free port of 127.0.0.1. */
    private int backend(HttpServerOptions options) {
        return Await.value(vertx.createHttpServer(options)
                        .requestHandler(this::respond)
                        .listen(0, "127.0.0.1"))
                .actualPort();
    }

    /** Starts nginx as a reverse proxy of a server without TLS. */
    private NginxServer startNginx(DomainAddresses addresses, TestCa.Identity identity, String changes, Path folder)
            throws IOException {
        int backend = backend(new HttpServerOptions());
        StringBuilder directives = new StringBuilder();
        for (String directive : NGINX_TLS) {
            String name = directive.substring(0, directive.indexOf(' ') + 1);
            directives.append(changes.contains(name) ? "" : directive + "\n");
        }
        Files.write(folder.resolve("staple.der"), OCSP_TRY_LATER);
        return NginxServer.start(
                folder,
                identity,
                """
                return 421; }
                server {
                  listen %s:443 ssl http2;
                  listen [%s]:443 ssl http2;
                  ssl_certificate FOLDER/chain.pem;
                  ssl_certificate_key FOLDER/key.pem;
                  server_tokens off;
                  %s
                  location / {
                    proxy_pass http://127.0.0.1:%d;
                    proxy_http_version 1.1;
                    proxy_set_header Host $host;
                    proxy_set_header X-Forwarded-Proto https;
                  }
                """
                        .formatted(addresses.v4(Host.SITE), addresses.v6(Host.SITE), directives + changes, backend));
    }

    private static boolean isSecure(HttpServerRequest request) {
        return request.isSSL() || "https".equals(request.getHeader("x-forwarded-proto"));
    }

    private void listen(PortState state, String address, int port, HttpServerOptions options) {
        if (state == PortState.OPEN) {
            Await.value(vertx.createHttpServer(options)
                    .requestHandler(this::respond)
                    .listen(port, address));
        } else {
            DomainServer.listen(vertx, state, address, port);
        }
    }

    private HttpServerOptions tls(TestCa.Identity identity) {
        HttpServerOptions options = new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(true)
                .setAlpnVersions(
                        spec.http2()
                                ? List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1)
                                : List.of(HttpVersion.HTTP_1_1));
        configure(options, identity, spec.legacyTls(), spec.tls13());
        return options;
    }

    /**
     * Sets the key, versions and cipher suites of a server.
     *
     * @param legacy whether TLS 1.0 and weak cipher suites are enabled
     */
    static void configure(NetServerOptions options, TestCa.Identity identity, boolean legacy, boolean tls13) {
        options.setKeyCertOptions(legacy ? pem(identity) : keys(identity));
        if (legacy) {
            options.setSslEngineOptions(new OpenSSLEngineOptions())
                    .setEnabledSecureTransportProtocols(Set.of("TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"));
        } else {
            CIPHERS.forEach(options::addEnabledCipherSuite);
            options.setEnabledSecureTransportProtocols(tls13 ? Set.of("TLSv1.2", "TLSv1.3") : Set.of("TLSv1.2"));
        }
    }

    /** Without a key store, whose encryption of the key takes most of the time to start a server. */
    private static KeyCertOptions keys(TestCa.Identity identity) {
        return KeyCertOptions.wrap(new FixedKeyManager(identity));
    }

    private static PemKeyCertOptions pem(TestCa.Identity identity) {
        return new PemKeyCertOptions()
                .addCertValue(Buffer.buffer(TestCa.pem(identity.chain().toArray(new X509Certificate[0]))))
                .addKeyValue(Buffer.buffer(identity.keyPem()));
    }

    private void respond(HttpServerRequest request) {
        log.accept(request);
        String host = request.authority() == null ? domain : request.authority().host();
        String path = request.path();
        if (host.equals("mta-sts." + domain)) {
            send(request, path.equals("/.well-known/mta-sts.txt") ? spec.policy() : notFound());
        } else if (!isSecure(request) && spec.redirectsToHttps()) {
            send(request, SiteSpec.Page.redirect("https://" + host + request.uri()));
        } else if (host.equals("www." + domain)) {
            String scheme = isSecure(request) ? "https" : "http";
            send(request, SiteSpec.Page.redirect(scheme + "://" + domain + request.uri()));
        } else {
            SiteSpec.Page page = spec.pageAt(path);
            send(request, page == null ? notFound() : page);
        }
    }

    private static SiteSpec.Page notFound() {
        return new SiteSpec.Page(404, "text/plain; charset=utf-8", "not found\n");
    }

    private void send(HttpServerRequest request, SiteSpec.Page page) {
        HttpServerResponse response = request.response();
        response.exceptionHandler(closed -> {});
        spec.headers().forEach((name, value) -> {
            if (isSecure(request) || !name.equals("strict-transport-security")) {
                response.putHeader(name, value);
            }
        });
        page.headers().forEach(response::putHeader);
        String origin = request.getHeader("origin");
        if (spec.reflectsOrigin() && origin != null) {
            response.putHeader("access-control-allow-origin", origin)
                    .putHeader("access-control-allow-credentials", "true");
        }
        response.putHeader("vary", "Accept-Encoding, Origin");
        if (request.method().equals(HttpMethod.OPTIONS)) {
            response.setStatusCode(204).end();
            return;
        }
        String etag = response.headers().get("etag");
        if (spec.revalidates()
                && page.status() == 200
                && etag != null
                && etag.equals(request.getHeader("if-none-match"))) {
            response.setStatusCode(304).end();
            return;
        }
        Buffer body = Buffer.buffer(page.body());
        String accepted = request.getHeader("accept-encoding");
        if (spec.compresses() && body.length() > 0 && accepted != null && accepted.contains("gzip")) {
            body = gzip(page.body());
            response.putHeader("content-encoding", "gzip");
        }
        response.setStatusCode(page.status())
                .putHeader("content-type", page.contentType())
                .putHeader("content-length", "" + body.length());
        if (request.method().equals(HttpMethod.HEAD)) {
            response.end();
        } else {
            response.end(body);
        }
    }

    private static Buffer gzip(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Buffer.buffer(bytes.toByteArray());
    }
}
