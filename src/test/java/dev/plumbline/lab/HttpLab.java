package dev.plumbline.lab;

import dev.plumbline.support.Canary;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Web servers on 127.0.0.1 with regular and hostile pages. Each {@link LabPage} is available over plain HTTP/1.1 and
 * over TLS.
 *
 * <p>Canaries listen on 127.0.0.2 (on the port of the plain server), on ::1 and on another port of 127.0.0.1. With
 * {@code targets.allow} set to {@link #ALLOW} and {@code targets.ports} set to {@link #ports()}, no connection may
 * reach them.
 */
public final class HttpLab {
    public static final String ALLOW = "127.0.0.1/32";

    /** A name in redirects. It must resolve to the address of the first canary. */
    public static final String INTERNAL_NAME = "inside.lab.test";

    /** A name whose robots.txt is not available. */
    static final String UNAVAILABLE_NAME = "unavailable.lab.test";

    /** The address of the first canary. */
    public static final String CANARY_ADDRESS = "127.0.0.2";

    private static final int MAX_REQUEST_BYTES = 64 * 1024;
    private static final int TLS_HANDSHAKE = 0x16;
    private static final String HEAD_END = "\r\n\r\n";

    private final Vertx vertx;
    private final List<LabPage> pages = Stream.of(
                    GoodPages.all(),
                    HeaderPages.all(),
                    CookiePages.all(),
                    CachePages.all(),
                    RedirectPages.all(),
                    CorsPages.all(),
                    SitemapPages.all(),
                    HostilePages.slow(),
                    HostilePages.endless(),
                    HostilePages.broken(),
                    SitePages.all(),
                    WebSocketPages.all(),
                    MailPolicyZones.pages())
            .flatMap(List::stream)
            .toList();
    private final ConcurrentLinkedQueue<String> received = new ConcurrentLinkedQueue<>();
    private final List<Canary> canaries = new ArrayList<>();
    private final List<HostileHttp2> hostileHttp2 = new ArrayList<>();
    private @Nullable NetServer plain;
    private @Nullable NetServer secure;
    private @Nullable NetServer brokenHttp2;
    private @Nullable HttpServer http2;

    private HttpLab(Vertx vertx) {
        this.vertx = vertx;
    }

    /** The lab on free ports, with a certificate that no client trusts. */
    public static Future<HttpLab> start(Vertx vertx) {
        TestCa.Identity identity =
                TestCa.root("Lab Root").issue(CertificateSpec.server("lab.test").address("127.0.0.1"));
        return start(vertx, identity.pem(), identity.keyPem());
    }

    /** The lab on free ports. */
    public static Future<HttpLab> start(Vertx vertx, String certificatePem, String keyPem) {
        // a canary uses the same port on another address, where another process can have an ephemeral port
        return start(vertx, certificatePem, keyPem, FreePorts.next(), 0, LabPorts.free());
    }

    /**
     * @param certificatePem certificate for 127.0.0.1, with its chain
     * @param httpPort a port that is free on all addresses
     * @param httpsPort 0: a free port
     * @param others the ports of the other servers
     */
    static Future<HttpLab> start(
            Vertx vertx, String certificatePem, String keyPem, int httpPort, int httpsPort, LabPorts others) {
        HttpLab lab = new HttpLab(vertx);
        PemKeyCertOptions identity = new PemKeyCertOptions()
                .addCertValue(Buffer.buffer(certificatePem))
                .addKeyValue(Buffer.buffer(keyPem));
        NetServerOptions tls = new NetServerOptions().setSsl(true).setKeyCertOptions(identity);
        NetServerOptions selectingHttp2 = new NetServerOptions(tls).setUseAlpn(true);
        selectingHttp2.getSslOptions().setApplicationLayerProtocols(List.of("h2", "http/1.1"));
        HttpServerOptions alpn =
                new HttpServerOptions().setSsl(true).setUseAlpn(true).setKeyCertOptions(identity);
        return Future.all(
                        vertx.createNetServer()
                                .connectHandler(lab::serve)
                                .listen(httpPort, "127.0.0.1")
                                .onSuccess(server -> lab.plain = server),
                        vertx.createNetServer(tls)
                                .connectHandler(lab::serve)
                                .listen(httpsPort, "127.0.0.1")
                                .onSuccess(server -> lab.secure = server),
                        vertx.createNetServer(selectingHttp2)
                                .connectHandler(lab::serve)
                                .listen(others.next(), "127.0.0.1")
                                .onSuccess(server -> lab.brokenHttp2 = server),
                        vertx.createHttpServer(alpn)
                                .requestHandler(request -> request.response()
                                        .setStatusCode(request.path().equals("/ok") ? 200 : 404)
                                        .putHeader("server", "lab")
                                        .end("over HTTP/2"))
                                .listen(others.next(), "127.0.0.1")
                                .onSuccess(server -> lab.http2 = server))
                .compose(ignored -> Canary.listen(vertx, CANARY_ADDRESS, port(lab.plain)))
                .onSuccess(lab.canaries::add)
                .compose(ignored -> Canary.listen(vertx, "127.0.0.1", others.next()))
                .onSuccess(lab.canaries::add)
                .compose(ignored -> Canary.listen(vertx, "::1", others.next()))
                .onSuccess(lab.canaries::add)
                .compose(ignored -> HostileHttp2.startAll(vertx, identity, others))
                .onSuccess(lab.hostileHttp2::addAll)
                .map(lab);
    }

    private void serve(NetSocket socket) {
        Buffer request = Buffer.buffer();
        socket.exceptionHandler(broken -> {});
        socket.handler(bytes -> {
            request.appendBuffer(bytes);
            String text = request.toString(StandardCharsets.ISO_8859_1);
            if (request.getByte(0) == TLS_HANDSHAKE) {
                socket.end(LabExchange.bytes("HTTP/1.1 400 TLS is not supported on this port\r\n\r\n"));
            } else if (text.contains(HEAD_END)) {
                socket.handler(more -> {});
                String head = text.substring(0, text.indexOf(HEAD_END));
                received.add(head);
                respond(new LabExchange(vertx, socket, this, head), head.split("[ \r\n]", 3)[1]);
            } else if (request.length() > MAX_REQUEST_BYTES) {
                socket.close();
            }
        });
    }

    private void respond(LabExchange exchange, String pathAndQuery) {
        String path = pathAndQuery.split("\\?", 2)[0];
        for (LabPage page : pages) {
            int variable = page.path().indexOf('{');
            boolean same = variable < 0
                    ? path.equals(page.path())
                    : path.startsWith(page.path().substring(0, variable));
            if (same) {
                page.handler().accept(exchange);
                return;
            }
        }
        exchange.respond(404, "", "no such page");
    }

    /** Host and port of the plain server. */
    public String authority() {
        return "127.0.0.1:" + port(plain);
    }

    /** A page of the plain server. */
    public String http(String path) {
        return "http://" + authority() + path;
    }

    /** The same page over TLS and HTTP/1.1. */
    public String secure(String path) {
        return "https://127.0.0.1:" + port(secure) + path;
    }

    /**
     * A page at one of {@link HttpFixture#HOSTS}.
     *
     * @param origin without a port, for example {@code https://lab.test}
     */
    public String at(String origin, String path) {
        return origin + ":" + port(origin.startsWith("https:") ? secure : plain) + path;
    }

    /** A page of the HTTP/2 server. Only {@code /ok} exists. */
    public String http2(String path) {
        if (http2 == null) {
            throw new IllegalStateException("not started");
        }
        return "https://127.0.0.1:" + http2.actualPort() + path;
    }

    static String plainOk(HttpLab lab) {
        return lab.http("/ok");
    }

    /** The canary at 127.0.0.2, on the port of the plain server. */
    public Canary canary() {
        return canaries.get(0);
    }

    /** The canary at another port of 127.0.0.1. */
    public Canary canaryOnOtherPort() {
        return canaries.get(1);
    }

    /** The canary at ::1. */
    public Canary canaryOverIpv6() {
        return canaries.get(2);
    }

    /** The number of connections to all canaries. */
    public int canaryConnections() {
        return canaries.stream().mapToInt(Canary::connections).sum();
    }

    /** The hostile HTTP/2 servers. */
    public List<HostileHttp2> hostileHttp2() {
        return List.copyOf(hostileHttp2);
    }

    /** The heads of the HTTP/1.1 requests for a path, in order of arrival. */
    public List<String> requestsFor(String path) {
        return received.stream()
                .filter(head -> head.split(" ", 3)[1].equals(path))
                .toList();
    }

    /** The ports to which a check is permitted to connect. */
    public List<Integer> ports() {
        List<Integer> ports = new ArrayList<>(List.of(port(plain), port(secure), port(brokenHttp2)));
        if (http2 != null) {
            ports.add(http2.actualPort());
        }
        hostileHttp2.forEach(server -> ports.add(server.port()));
        return ports;
    }

    /** All pages over plain HTTP, and some over TLS and HTTP/2. */
    public List<LabTarget> targets() {
        List<LabTarget> targets = new ArrayList<>();
        for (LabPage page : pages) {
            targets.add(new LabTarget("http-status", http(example(page.path())), example(page.expectation())));
        }
        targets.addAll(WebSocketPages.targets(authority()));
        targets.add(new LabTarget("http-status", secure("/ok"), "200, served_over_http1"));
        targets.add(new LabTarget("http-status", http2("/ok"), "200 over HTTP/2"));
        targets.add(new LabTarget("cors", secure("/cors/none"), "verdict=pass"));
        targets.add(new LabTarget("cors", secure("/cors/one"), "allow_origin=null, only one origin is allowed"));
        targets.add(new LabTarget("cors", secure("/cors/reflect-credentials"), "verdict=fail"));
        targets.add(new LabTarget("cors", secure("/cors/preflight-closed"), "preflight_status=null"));
        SitemapPages.targets()
                .forEach((path, expectation) -> targets.add(new LabTarget("sitemap", http(path), expectation)));
        targets.add(new LabTarget("redirect-chain", http("/redirect/chain/3"), "hop_count=3"));
        targets.add(new LabTarget("redirect-chain", secure("/redirect/to-http"), "https_downgrade=true"));
        targets.add(new LabTarget("redirect-chain", http("/redirect/loop"), "redirect_loop"));
        targets.add(new LabTarget("security-headers", http("/headers/perfect"), "score=50 over http"));
        targets.add(new LabTarget("security-headers", secure("/headers/perfect"), "score=100"));
        targets.add(new LabTarget("security-headers", http("/ok"), "score=0"));
        targets.add(new LabTarget("http-timing", http("/ok"), "bytes=11"));
        targets.add(new LabTarget("http-timing", http("/drip/body"), "read_timeout"));
        targets.add(new LabTarget("page-metadata", http("/metadata"), "title_length=14"));
        targets.add(new LabTarget("page-metadata", http("/ok"), "title_length=0, not_a_page"));
        targets.add(new LabTarget("http-headers", http("/ok"), "verdict=pass, date_missing"));
        targets.add(new LabTarget("http-headers", http("/headers/framing"), "verdict=warn"));
        targets.add(new LabTarget("http-headers", http("/headers/2000"), "response_too_large"));
        targets.add(new LabTarget("cookies", secure("/cookies/good"), "verdict=pass"));
        targets.add(new LabTarget("cookies", secure("/cookies/weak"), "verdict=fail"));
        targets.add(new LabTarget("cookies", http("/cookies/900"), "cookie_count=0"));
        targets.add(new LabTarget("cookies", http("/cookies/10000"), "response_too_large"));
        targets.add(new LabTarget("cookies", http("/cookies/required"), "redirect_loop"));
        targets.add(new LabTarget("robots-txt", http("/"), "allowed=true"));
        targets.add(new LabTarget("robots-txt", http("/private/"), "allowed=false"));
        targets.add(new LabTarget(
                "http-versions",
                "https://127.0.0.1:" + port(brokenHttp2) + "/ok",
                "verdict=fail, HTTP/2 is selected and the response uses HTTP/1.1"));
        targets.addAll(CachePages.targets(this));
        targets.addAll(SitePages.targets(this));
        for (HostileHttp2 server : hostileHttp2) {
            targets.add(new LabTarget("http-status", server.url(), server.expectation()));
        }
        return targets;
    }

    private static String example(String text) {
        return text.replace("{code}", "404").replace("{length}", "3");
    }

    private static int port(@Nullable NetServer server) {
        if (server == null) {
            throw new IllegalStateException("not started");
        }
        return server.actualPort();
    }
}
