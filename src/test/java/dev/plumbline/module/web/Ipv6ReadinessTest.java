package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.module.dns.record.ServerHosts;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** Websites of nginx on 127.0.0.1 and ::1, and names of the DNS lab. */
@Tag("integration")
class Ipv6ReadinessTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final String[] SITES = {
        "dual.test",
        "v6only.test",
        "v4server.test",
        "differs.test",
        "status.test",
        "moved.test",
        "away.test",
        "v6cert.test",
        "v4cert.test"
    };

    /** The certificates of nginx are not valid for these names. */
    private static final List<String> INVALID = List.of("nocert.test", "tonocert.test");

    private static final String PAGE =
            "default_type text/html; return 200 '<title>%s</title>" + "padding ".repeat(200) + "';";

    private static final Vertx VERTX = Vertx.vertx();
    private static HttpProbe http;
    private static DnsProbe dns;
    private static NameserverProbe nameservers;
    private static TcpProbe tcp;
    private static DnsLab sixDns;
    private static NetServer sixMail;
    private static NginxServer nginx;
    private static ModuleDefinition<Ipv6Readiness.Evidence> module;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        TargetPolicy policy =
                HttpFixture.policy(List.of("127.0.0.0/8", "::1/128", "192.0.2.0/24", "2001:db8::/32"), List.of("*"));
        http = FIXTURE.probe(policy);
        EgressGuard guard = LabEgressGuard.of(VERTX, policy, FIXTURE.dns());
        nameservers = new NameserverProbe(VERTX, guard, policy);
        tcp = new TcpProbe(VERTX, guard);
        sixDns = DnsLab.start(InetAddress.getByName("::1"), 0);
        sixMail = Await.value(VERTX.createNetServer()
                .connectHandler(socket -> socket.write("220 mail.dual.test ESMTP\r\n"))
                .listen(0, "::1"));
        dns = new DnsProbe(
                VERTX,
                new DnsResolver(
                        VERTX,
                        new Config.DnsSettings(
                                List.of(FIXTURE.dns().address()), List.of(), Duration.ofSeconds(1), 1_000),
                        policy,
                        System::nanoTime),
                Map.of(),
                policy,
                new DnsQueryLimits(VERTX, 0));
        StringBuilder servers = new StringBuilder("return 421; }\n");
        site(servers, "127.0.0.1", "dual.test", PAGE.formatted("Same"));
        site(servers, "[::1]", "dual.test", PAGE.formatted("Same"));
        site(servers, "[::1]", "v6only.test", PAGE.formatted("Six"));
        site(servers, "127.0.0.1", "v4server.test", PAGE.formatted("Four"));
        site(servers, "127.0.0.1", "differs.test", PAGE.formatted("Shop"));
        site(servers, "[::1]", "differs.test", PAGE.formatted("Welcome to nginx!"));
        site(servers, "127.0.0.1", "status.test", "return 200 ok;");
        site(servers, "[::1]", "status.test", "return 404;");
        site(servers, "127.0.0.1", "moved.test", "return 301 https://dual.test:TLS/;");
        site(servers, "[::1]", "moved.test", "return 301 https://dual.test:TLS/;");
        site(servers, "127.0.0.1", "away.test", "return 301 https://v4server.test:TLS/;");
        site(servers, "[::1]", "away.test", "return 301 https://v4server.test:TLS/;");
        String invalid = "ssl_certificate FOLDER/other/chain.pem; ssl_certificate_key FOLDER/other/key.pem; ";
        String valid = "ssl_certificate FOLDER/chain.pem; ssl_certificate_key FOLDER/key.pem; ";
        FIXTURE.identity("other.test").writePem(Files.createDirectory(folder.resolve("other")));
        site(servers, "127.0.0.1", "v6cert.test", PAGE.formatted("Same"), valid);
        site(servers, "[::1]", "v6cert.test", PAGE.formatted("Same"), invalid);
        site(servers, "127.0.0.1", "v4cert.test", PAGE.formatted("Same"), invalid);
        site(servers, "[::1]", "v4cert.test", PAGE.formatted("Same"), valid);
        for (String address : List.of("127.0.0.1", "[::1]")) {
            site(servers, address, "nocert.test", PAGE.formatted("Same"), invalid);
            site(servers, address, "tonocert.test", "return 301 https://nocert.test:TLS/;", invalid);
        }
        servers.append("server { listen 127.0.0.1:PLAIN; server_name unused.test;\n");
        nginx = NginxServer.start(folder, FIXTURE.identity(SITES), servers.toString());
        module = module(nginx);
        for (String site : Stream.concat(Stream.of(SITES), INVALID.stream()).toList()) {
            FIXTURE.dns()
                    .address(
                            site, site.equals("v6only.test") ? new String[] {"::1"} : new String[] {"127.0.0.1", "::1"})
                    .record(site + ". 60 IN NS ns1.dual.test.")
                    .record(site + ". 60 IN NS ns2.dual.test.")
                    .record(site + ". 60 IN MX 10 mail.dual.test.");
        }
        FIXTURE.dns().removeRecords("v4server.test").address("v4server.test", "127.0.0.1");
        FIXTURE.dns()
                .record("refused.test. 60 IN AAAA 2001:db8::ffff")
                .address("ns1.dual.test", "192.0.2.1", "::1")
                .address("ns2.dual.test", "192.0.2.2", "::1")
                .address("mail.dual.test", "127.0.0.1", "::1")
                .address("legacy.test", "127.0.0.1")
                .address("www.legacy.test", "127.0.0.1")
                .record("legacy.test. 60 IN NS ns.legacy.test.")
                .record("legacy.test. 60 IN MX 10 mail.legacy.test.")
                .address("ns.legacy.test", "192.0.2.4")
                .address("mail.legacy.test", "192.0.2.5")
                .empty("app.legacy.test")
                .record("app.legacy.test. 60 IN MX 0 .")
                .address("half.test", "127.0.0.1")
                .record("half.test. 60 IN NS ns.half.test.")
                .address("ns.half.test", "192.0.2.1")
                .behave("ns.half.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)))
                .address("inside.test", "127.0.0.1", "fd00::1");
    }

    /** The module with the ports of the website, and of the servers on ::1. */
    private static ModuleDefinition<Ipv6Readiness.Evidence> module(NginxServer website) {
        return module(website, sixDns.port(), sixMail.actualPort());
    }

    private static ModuleDefinition<Ipv6Readiness.Evidence> module(NginxServer website, int dnsPort, int smtpPort) {
        WebPorts ports = new WebPorts(1, FIXTURE.url(website.https("/")).port());
        return SheetModule.load(new Ipv6Readiness(ports, dnsPort, smtpPort));
    }

    private static void site(StringBuilder servers, String address, String name, String directives) {
        site(
                servers,
                address,
                name,
                directives,
                "ssl_certificate FOLDER/chain.pem; ssl_certificate_key FOLDER/key.pem; ");
    }

    private static void site(
            StringBuilder servers, String address, String name, String directives, String certificate) {
        servers.append("server { listen ")
                .append(address)
                .append(":TLS ssl; server_name ")
                .append(name)
                .append("; ")
                .append(certificate)
                .append(directives)
                .append(" }\n");
    }

    @AfterAll
    static void stop() {
        if (nginx != null) {
            nginx.close();
        }
        if (sixDns != null) {
            sixDns.close();
        }
        Await.value(VERTX.close());
    }

    private static CheckResult check(String domain) throws Exception {
        TestCheckContext context = TestCheckContext.of(module.description(), Map.of())
                .withProbe(HttpProbe.class, http)
                .withProbe(DnsProbe.class, dns)
                .withProbe(NameserverProbe.class, nameservers)
                .withProbe(TcpProbe.class, tcp);
        return ModuleExecution.run(VERTX, module, TargetParser.domainName(domain), context);
    }

    @ParameterizedTest
    @CsvSource({
        "dual.test, true, true, true, true, true, -",
        "v6only.test, true, true, true, true, null, -",
        "differs.test, true, true, true, true, false, ipv6_content_differs",
        "status.test, true, true, true, true, false, ipv6_content_differs",
        "moved.test, true, true, true, true, true, -",
        "away.test, true, true, true, false, null, http_over_ipv6_failed",
        "nocert.test, true, true, true, true, true, certificate_invalid",
        "tonocert.test, true, true, true, true, true, certificate_invalid",
        "v6cert.test, true, true, true, true, true, ipv6_certificate_invalid",
        "v4cert.test, true, true, true, true, true, -",
        "legacy.test, false, false, false, null, null, web_no_aaaa www_no_aaaa ns_no_aaaa mx_no_aaaa",
        "app.legacy.test, false, false, false, null, null, no_website ns_no_aaaa no_mail_servers"
    })
    void reportsEachPart(String domain, String web, String ns, String mx, String overIpv6, String same, String codes)
            throws Exception {
        CheckResult result = check(domain);

        assertThat(result.error()).isNull();
        assertThat(result.fields())
                .containsEntry("web_aaaa", value(web))
                .containsEntry("ns_aaaa", value(ns))
                .containsEntry("mx_aaaa", value(mx))
                .containsEntry("http_over_ipv6", value(overIpv6))
                .containsEntry("same_content", value(same));
        assertThat(codes(result.findings())).isEqualTo(codes.equals("-") ? List.of() : List.of(codes.split(" ")));
    }

    @Test
    void statesThatOnlyTheCertificateIsInvalid() throws Exception {
        assertThat(check("nocert.test").findings())
                .extracting(Finding::message)
                .singleElement()
                .asString()
                .startsWith("The website responds over IPv6, but its certificate is not valid. ")
                .contains("nocert.test");
        assertThat(check("nocert.test").verdict()).isEqualTo(Verdict.PASS);
        assertThat(check("v6cert.test").verdict()).isEqualTo(Verdict.FAIL);
    }

    @Test
    void usesTheNameserversOfThePublicSuffixForANameInItsZone() throws Exception {
        FIXTURE.dns().address("name.github.io", "127.0.0.1").record("github.io. 60 IN NS ns1.dual.test.");

        CheckResult result = check("name.github.io");

        assertThat(result.fields()).containsEntry("ns_aaaa", true);
        assertThat(codes(result.findings())).doesNotContain("ns_no_aaaa");
    }

    @Test
    void doesNotReportUnknownNameserversAsAnAbsence() throws Exception {
        FIXTURE.dns().address("delegated.test", "127.0.0.1");

        CheckResult result = check("delegated.test");

        assertThat(result.fields()).containsEntry("ns_aaaa", null);
        assertThat(codes(result.findings())).doesNotContain("ns_no_aaaa");
        assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_NO_DATA);
    }

    private static Boolean value(String text) {
        return text.equals("null") ? null : Boolean.valueOf(text);
    }

    @Test
    void reportsAServerThatListensOnIpv4Only(@TempDir Path folder) throws Exception {
        try (NginxServer v4 = NginxServer.start(folder, FIXTURE.identity("dual.test"), "return 200 four;")) {
            module = module(v4);

            CheckResult result = check("dual.test");

            assertThat(result.fields()).containsEntry("http_over_ipv6", false).containsEntry("same_content", null);
            assertThat(result.findings())
                    .extracting(Finding::message)
                    .containsExactly(
                            "The website has an AAAA record, but does not respond over IPv6. Connection refused by [::1]:"
                                    + FIXTURE.url(v4.https("/")).port() + ".");
        } finally {
            module = module(nginx);
        }
    }

    @Test
    void doesNotReportAFailedLookupAsAnAbsence() throws Exception {
        CheckResult result = check("half.test");

        assertThat(result.fields()).containsEntry("web_aaaa", false).containsEntry("ns_aaaa", null);
        assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
        assertThat(codes(result.findings())).contains("lookup_failed").doesNotContain("ns_no_aaaa");
    }

    @Test
    void rejectsDomainsWithPrivateAddresses() throws Exception {
        CheckResult result = check("inside.test");

        assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(result.toString()).doesNotContain("fd00");
        assertThat(check("missing.test").error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
    }

    /** curl with the options -4 and -6 for the same sites. */
    @Test
    void agreesWithCurl() throws Exception {
        for (String site : SITES) {
            CheckResult result = check(site);

            List<String> v4 = curl(site, "127.0.0.1");
            List<String> v6 = curl(site, "[::1]");
            boolean reachable = v6.get(0).startsWith("0 ");
            assertThat(result.fields().get("http_over_ipv6"))
                    .as(site)
                    .isEqualTo(site.equals("v4server.test") ? null : reachable);
            if (result.fields().get("same_content") != null) {
                assertThat(result.fields()).as(site).containsEntry("same_content", v4.equals(v6));
            }
        }
    }

    /** The exit code and status, and the page. */
    private static List<String> curl(String site, String address) throws IOException, InterruptedException {
        int port = FIXTURE.url(nginx.https("/")).port();
        List<String> command = new ArrayList<>(
                List.of(DebianTool.require("curl").toString(), "-sk", "-L", "--max-time", "5", "-w", "%{http_code}"));
        for (String name : SITES) {
            boolean exists = !name.equals("v4server.test") || address.equals("127.0.0.1");
            command.addAll(List.of("--connect-to", name + ":" + port + ":" + address + ":" + (exists ? port : 1)));
        }
        command.add("https://" + site + ":" + port + "/");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = process.waitFor();
        int status = output.length() - 3;
        return List.of(exit + " " + output.substring(status), output.substring(0, status));
    }

    @ParameterizedTest
    @CsvSource({
        "CONNECT_UNREACHABLE, -, ipv6_not_tested, null",
        "REQUEST_LIMIT, -, ipv6_not_tested, null",
        "CONNECT_TIMEOUT, -, http_over_ipv6_failed, false",
        "TLS_HANDSHAKE_FAILED, -, http_over_ipv6_failed, false",
        "TLS_HANDSHAKE_FAILED, TLS_HANDSHAKE_FAILED, not_compared, false",
        "CONNECT_REFUSED, CONNECT_TIMEOUT, http_over_ipv6_failed, false"
    })
    void distinguishesItsOwnConnectionFromTheWebsite(String v6, String v4, String code, String overIpv6) {
        Evaluation evaluation = evaluate(
                server("a.test", "192.0.2.1", "2001:db8::1"),
                v4.equals("-") ? new SitePage("a.test", 200, "A", 10, null, null) : failed(v4),
                failed(v6));

        assertThat(evaluation.findings()).extracting(Finding::code).containsExactly(code);
        assertThat(evaluation.fields()).containsEntry("http_over_ipv6", value(overIpv6));
    }

    private static SitePage failed(String code) {
        return new SitePage("a.test", 0, null, 0, new CheckError(ErrorCode.valueOf(code), "Reason."), null);
    }

    @ParameterizedTest
    @CsvSource({
        "a.test 200 A 5000, a.test 200 A 4000, true",
        "a.test 200 A 5000, a.test 200 A 2400, false",
        "a.test 200 A 900, a.test 200 A 100, true",
        "a.test 200 A 5000, a.test 200 B 5000, false",
        "a.test 200 A 5000, a.test 200 - 5000, false",
        "a.test 200 A 5000, b.test 200 A 5000, false",
        "a.test 200 A 5000, a.test 503 A 5000, false"
    })
    void comparesPages(String v4, String v6, boolean same) {
        Evaluation evaluation = evaluate(server("a.test", "192.0.2.1", "2001:db8::1"), page(v4), page(v6));

        assertThat(evaluation.fields()).containsEntry("same_content", same);
    }

    private static SitePage page(String text) {
        String[] parts = text.split(" ");
        return new SitePage(
                parts[0],
                Integer.parseInt(parts[1]),
                parts[2].equals("-") ? null : parts[2],
                Integer.parseInt(parts[3]),
                null,
                null);
    }

    private static Evaluation evaluate(ServerHosts.Server web, SitePage v4, SitePage v6) {
        ServerHosts both = new ServerHosts(
                List.of(server("x.test", "2001:db8::2"), server("y.test", "192.0.2.2", "2001:db8::3")), null);
        return module.evaluate(
                new Ipv6Readiness.Evidence(
                        "a.test", web, server("www.a.test"), both, both, v4, v6, reachability(), reachability()),
                Options.defaults(module.description()));
    }

    private static ServerHosts.Server server(String host, String... ips) {
        return new ServerHosts.Server(
                host,
                new HostAddresses(
                        ips.length == 0 ? HostAddresses.State.NONE : HostAddresses.State.FOUND,
                        Stream.of(ips).map(IpAddressText::parse).toList(),
                        false,
                        null,
                        null));
    }

    @Test
    void reportsServersWithoutIpv6() {
        ServerHosts some =
                new ServerHosts(List.of(server("x.test", "2001:db8::2"), server("y.test", "192.0.2.2")), null);

        Evaluation evaluation = module.evaluate(
                new Ipv6Readiness.Evidence(
                        "a.test",
                        server("a.test", "2001:db8::1"),
                        server("www.a.test"),
                        some,
                        some,
                        null,
                        null,
                        reachability(),
                        reachability()),
                Options.defaults(module.description()));

        assertThat(evaluation.findings()).extracting(Finding::code).containsExactly("one_ns_aaaa", "some_mx_no_aaaa");
        assertThat(evaluation.fields())
                .containsEntry("ns_aaaa_count", 1)
                .containsEntry("ns_over_ipv6", null)
                .containsEntry("mx_over_ipv6", null);
    }

    /** @param errors of the servers; a dash for one that responds */
    private static Ipv6Reachability reachability(String... errors) {
        return new Ipv6Reachability(
                Stream.of(errors)
                        .map(code -> new Ipv6Reachability.Attempt(
                                "x.test", code.equals("-") ? null : new CheckError(ErrorCode.valueOf(code), "Reason.")))
                        .toList(),
                false);
    }

    @ParameterizedTest
    @CsvSource({
        "-, true, -",
        "- -, true, -",
        "- CONNECT_REFUSED, false, failed",
        "CONNECT_TIMEOUT, false, failed",
        "READ_TIMEOUT, false, failed",
        "CONNECT_UNREACHABLE, null, ipv6_servers_not_tested",
        "- TARGET_BLOCKED, null, ipv6_servers_not_tested",
        "REQUEST_LIMIT CONNECTION_RESET, false, failed ipv6_servers_not_tested"
    })
    void distinguishesItsOwnConnectionFromTheServers(String errors, String respond, String findings) {
        Ipv6Reachability servers = reachability(errors.split(" "));
        for (boolean mail : new boolean[] {false, true}) {
            Evaluation evaluation = module.evaluate(
                    new Ipv6Readiness.Evidence(
                            "a.test",
                            server("a.test", "2001:db8::1"),
                            server("www.a.test"),
                            new ServerHosts(List.of(server("x.test", "2001:db8::2")), null),
                            new ServerHosts(List.of(server("x.test", "2001:db8::2")), null),
                            null,
                            null,
                            mail ? reachability() : servers,
                            mail ? servers : reachability()),
                    Options.defaults(module.description()));

            String failed = mail ? "mx_over_ipv6_failed" : "ns_over_ipv6_failed";
            assertThat(evaluation.fields()).containsEntry(mail ? "mx_over_ipv6" : "ns_over_ipv6", value(respond));
            assertThat(codes(evaluation.findings()))
                    .containsExactlyElementsOf(
                            findings.equals("-")
                                    ? List.of()
                                    : List.of(findings.replace("failed ", failed + " ")
                                            .replaceFirst("^failed$", failed)
                                            .split(" ")));
        }
    }

    @Test
    void connectsToTheServersOverIpv6() throws Exception {
        assertThat(check("dual.test").fields())
                .containsEntry("ns_aaaa_count", 2)
                .containsEntry("ns_over_ipv6", true)
                .containsEntry("mx_over_ipv6", true);
        try {
            module = module(nginx, FreePorts.next(), FreePorts.next());

            CheckResult result = check("dual.test");

            assertThat(result.fields()).containsEntry("ns_over_ipv6", false).containsEntry("mx_over_ipv6", false);
            assertThat(result.verdict()).isEqualTo(Verdict.WARN);
            assertThat(result.findings())
                    .extracting(Finding::message)
                    .anySatisfy(message -> assertThat(message)
                            .contains(
                                    "ns1.dual.test (The nameserver ::1 does not accept UDP packets on port ",
                                    "), ns2.dual.test (")
                            .endsWith(")."))
                    .anySatisfy(
                            message -> assertThat(message).contains("mail.dual.test (Connection refused by [::1]:"));
        } finally {
            module = module(nginx);
        }
    }

    /**
     * The network of this service may block port 25, so that a timeout over both versions is not an error of the
     * target.
     */
    @ParameterizedTest
    @CsvSource({"false, false, mx_over_ipv6_failed", "true, null, ipv6_servers_not_tested"})
    void aPortThatAlsoTimesOutOverIpv4IsNotDetermined(boolean silentOverIpv4, String overIpv6, String code)
            throws Exception {
        int port = FreePorts.next();
        try (ServerSocket six = new ServerSocket(port, 1, InetAddress.getByName("::1"));
                ServerSocket four =
                        silentOverIpv4 ? new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1")) : null) {
            List<SocketChannel> queued = fillQueue(six);
            queued.addAll(four == null ? List.of() : fillQueue(four));
            module = module(nginx, sixDns.port(), port);

            CheckResult result = check("dual.test");

            assertThat(result.fields()).containsEntry("mx_over_ipv6", value(overIpv6));
            assertThat(codes(result.findings())).containsExactly(code);
            for (SocketChannel connection : queued) {
                connection.close();
            }
        } finally {
            module = module(nginx);
        }
    }

    /** Opens connections that the server does not accept, so that the system ignores further ones. */
    private static List<SocketChannel> fillQueue(ServerSocket server) throws IOException {
        List<SocketChannel> connections = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            SocketChannel connection = SocketChannel.open();
            connection.configureBlocking(false);
            connection.connect(server.getLocalSocketAddress());
            connections.add(connection);
        }
        return connections;
    }

    private static List<String> codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).toList();
    }
}
