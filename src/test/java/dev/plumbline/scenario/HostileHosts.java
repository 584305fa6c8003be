package dev.plumbline.scenario;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.TestCa;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Hosts below {@code held.test} whose servers send as much data as each check accepts, and then stop sending: a
 * nameserver, web servers on the ports 80 and 443, a mail server on port 25, a WHOIS server on port 43 and an RDAP
 * server. Requires root.
 */
final class HostileHosts implements AutoCloseable {
    private static final int HOSTS = 400;
    private static final int FILLING_NAMES = 2_500;

    private final String address = "127.90." + FreePorts.jvmNumber() + ".1";
    private final Vertx vertx = Vertx.vertx();
    private final DnsLab resolver;
    private final DnsLab nameserver;
    private final HostileContent content = new HostileContent("http://" + address);
    private final Set<String> requested = ConcurrentHashMap.newKeySet();
    private final Path folder;
    private volatile boolean completesFirst;

    private HostileHosts(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
        InetAddress at = InetAddress.getByName(address);
        HostileNameserver behavior = new HostileNameserver(at.getAddress());
        resolver = DnsLab.start().behave(behavior);
        nameserver = DnsLab.start(at, 53).behave(behavior);
        TestCa ca = TestCa.root("Scenario");
        Stream<String> names = IntStream.range(0, HOSTS)
                .mapToObj(i -> "h" + i + ".held.test")
                .flatMap(host -> Stream.of(host, "www." + host, "mta-sts." + host));
        Stream<String> filling = IntStream.range(0, FILLING_NAMES).mapToObj(i -> "name-" + i + ".long.held.test");
        TestCa.Identity identity =
                ca.issue(CertificateSpec.server(Stream.concat(names, filling).toArray(String[]::new))
                        .address(address));
        Files.writeString(folder.resolve("roots.pem"), TestCa.pem(ca.certificate()));
        PemKeyCertOptions pem = new PemKeyCertOptions()
                .setCertValue(Buffer.buffer(TestCa.pem(identity.certificate(), ca.certificate())))
                .setKeyValue(Buffer.buffer(identity.keyPem()));
        HttpServerOptions web = new HttpServerOptions().setHost(address).setAcceptBacklog(1_024);
        Await.value(vertx.createHttpServer(new HttpServerOptions(web).setPort(80))
                .requestHandler(this::respond)
                .listen());
        Await.value(vertx.createHttpServer(new HttpServerOptions(web)
                        .setPort(443)
                        .setSsl(true)
                        // the JDK cannot create session tickets for the large certificate
                        .setSslEngineOptions(new OpenSSLEngineOptions())
                        .setKeyCertOptions(pem))
                .requestHandler(this::respond)
                .listen());
        Await.value(vertx.createNetServer(new NetServerOptions().setKeyCertOptions(pem))
                .connectHandler(HostileHosts::receiveMail)
                .listen(25, address));
        Await.value(vertx.createNetServer()
                .connectHandler(HostileHosts::sendWhoisResponse)
                .listen(43, address));
        for (Map.Entry<String, String> list : Map.of("dns.json", "test", "ipv4.json", "20.0.0.0/8", "asn.json", "1-9")
                .entrySet()) {
            Files.writeString(
                    folder.resolve(list.getKey()),
                    "{\"version\":\"1.0\",\"services\":[[[\"%s\"],[\"http://%s/rdap/\"]]]}"
                            .formatted(list.getValue(), address));
        }
    }

    /** @param folder for the settings of the service */
    static HostileHosts start(Path folder) throws IOException {
        return new HostileHosts(folder.toAbsolutePath());
    }

    /** The settings of a service that checks these hosts. */
    Map<String, String> settings() {
        String dns = resolver.address();
        return Map.of(
                "DNS_SERVERS",
                dns,
                "DNS_PROPAGATION",
                "one=" + dns + ",two=" + dns + ",three=" + dns + ",four=" + dns,
                "DNSBL_ZONES",
                "bl1.held.test,bl2.held.test,bl3.held.test,bl4.held.test",
                "RDAP_BOOTSTRAP",
                folder.resolve("dns.json").toString(),
                "WHOIS_SERVER",
                address + ":43",
                "REGISTRIES_PER_SERVER_PER_SECOND",
                "0",
                "REGISTRIES_PER_SERVER_CONCURRENT",
                "0",
                "TLS_EXTRA_ROOTS",
                folder.resolve("roots.pem").toString());
    }

    /** Whether the first response at each URL is complete and only later ones are not. */
    void completesFirst(boolean complete) {
        completesFirst = complete;
        requested.clear();
    }

    /**
     * The target of a check.
     *
     * @param number below 400
     */
    String target(ModuleDescription module, int number) {
        // the records of these names are large, also those of addresses
        String domain = (module.category().equals("dns") ? "d" : "h") + number + ".held.test";
        String url = address + "/" + (module.module().equals("sitemap") ? "sitemap-" : "page-") + number;
        return switch (module.input()) {
            case URL ->
                (module.module().equals("websocket")
                                ? "ws://"
                                : module.module().equals("mixed-content") ? "https://" : "http://")
                        + url;
            case IP -> "20.1." + number / 250 + "." + number % 250;
            case EMAIL -> "a@" + domain;
            case HOST_PORT -> module.defaultPort() == 0 ? domain + ":25" : domain;
            case HOST, DOMAIN -> domain;
        };
    }

    private void respond(HttpServerRequest request) {
        String path = request.path();
        if (path.startsWith("/silent/")) {
            request.pause();
            return;
        }
        boolean complete = completesFirst && requested.add(request.authority() + path);
        Buffer body = content.body(path);
        HttpServerResponse response = request.response();
        response.exceptionHandler(closed -> {});
        HostileContent.setHeaders(response, path);
        response.putHeader("Content-Length", "" + (body.length() + (complete ? 0 : 1)));
        if (complete) {
            response.end(body);
        } else {
            response.write(body);
        }
    }

    /** Replies with many lines to each command. */
    private static void receiveMail(NetSocket socket) {
        socket.exceptionHandler(broken -> socket.close());
        String lines = ("-" + "x".repeat(400) + "\r\n");
        socket.write(("220" + lines).repeat(30) + "220 mail.held.test ESMTP\r\n");
        socket.handler(bytes -> {
            String command = bytes.toString(StandardCharsets.US_ASCII).toUpperCase(Locale.ROOT);
            if (command.startsWith("EHLO")) {
                socket.write(("250" + lines).repeat(30) + "250 STARTTLS\r\n");
            } else if (command.startsWith("STARTTLS")) {
                socket.upgradeToSsl(Buffer.buffer("220 go\r\n"));
            }
        });
    }

    /** Sends 127 KiB and does not close the connection. */
    private static void sendWhoisResponse(NetSocket socket) {
        socket.exceptionHandler(broken -> socket.close());
        socket.handler(bytes -> socket.write("Name Server: ns1.held.test\r\n".repeat(4_600)));
    }

    @Override
    public void close() {
        Await.value(vertx.close());
        nameserver.close();
        resolver.close();
    }
}
