package dev.plumbline.lab;

import dev.plumbline.support.Await;
import dev.plumbline.support.SmtpTlsProxy;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The test lab as a program, for running the service without the internet and for load tests. It writes the settings
 * for the service, prints every target with the expected result, and runs until it is stopped.
 */
public final class Lab implements AutoCloseable {
    private static final String WEB = "web.lab.test";

    private final Vertx vertx = Vertx.vertx();
    private final SignedZones signedZones = SignedZones.ofLab("127.0.0.1");
    private final DnsLab dns;

    /** A public resolver that does not have all records. */
    private final DnsLab outdatedResolver;

    private final HttpLab http;
    private final TlsLab tls;
    private final StartTlsLab startTls;
    private final SmtpLab smtp;
    private final ScriptedTlsServer oldTls;
    private final ScriptedTlsServer outdatedTls;
    private final SmtpTlsProxy oldMail;
    private final RegistryDomains registries;
    private final AddressRegistry addresses;
    private final RoutingZones routing;
    private final int closedPort;

    /** Starts all servers. The first three ports are those for HTTP, HTTPS and DNS. */
    public Lab(LabPorts ports) {
        int httpPort = ports.next();
        int httpsPort = ports.next();
        this.dns = DnsLab.start(ports.next()).rotating();
        this.outdatedResolver = DnsLab.start(ports.next()).address("full.lab.test", "127.0.0.1");
        this.tls = new TlsLab(ports);
        this.startTls = new StartTlsLab(vertx, tls);
        this.smtp = new SmtpLab(vertx, ports);
        this.oldTls = Await.value(ScriptedTlsServer.create()
                .accepts(0x0300, 0x0004, 0x0003)
                .accepts(0x0301, 0x002f, 0x000a)
                .listen(vertx, ports.next()));
        this.outdatedTls =
                Await.value(ScriptedTlsServer.create().accepts(0x0303, 0x009c).listen(vertx, ports.next()));
        this.oldMail = SmtpTlsProxy.start(vertx, ports.next(), oldTls.port());
        this.registries = new RegistryDomains(vertx, ports);
        this.addresses = new AddressRegistry(vertx, ports);
        this.closedPort = ports.unused();
        List<String> hosts = new ArrayList<>(List.of(WEB, "localhost"));
        hosts.addAll(MailPolicyZones.POLICY_HOSTS);
        TestCa.Identity web = tls.issuer()
                .issue(CertificateSpec.server(hosts.toArray(new String[0])).address("127.0.0.1"));
        String chain = TestCa.pem(web.chain().toArray(new X509Certificate[0]));
        this.http = Await.value(HttpLab.start(vertx, chain, web.keyPem(), httpPort, httpsPort, ports));
        for (TlsLab.Server server : tls.servers()) {
            if (!server.host().startsWith("127.")) {
                dns.removeRecords(server.host());
                dns.address(server.host(), "127.0.0.1");
            }
        }
        AddressZones.fill(dns);
        routing = new RoutingZones(vertx, dns, ports);
        dns.address(StartTlsLab.HOST, "127.0.0.1");
        dns.address(HttpLab.UNAVAILABLE_NAME, "127.0.0.1");
        dns.address(WEB, "127.0.0.1")
                .alias("alias.lab.test", WEB)
                .chain("chain.lab.test", 5, "127.0.0.1")
                .address(HttpLab.INTERNAL_NAME, HttpLab.CANARY_ADDRESS)
                .address("mixed.lab.test", "127.0.0.1", "127.0.0.2")
                .address("metadata.lab.test", "169.254.169.254")
                .alias("alias-inside.lab.test", HttpLab.INTERNAL_NAME)
                .empty("empty.lab.test")
                .behave("rebinding.lab.test", DnsFaults.rebinding("127.0.0.1", "127.0.0.2"))
                .behave("silent.lab.test", DnsFaults.silent())
                .behave("servfail.lab.test", DnsFaults.rcode(2))
                .behave("wrong-owner.lab.test", DnsFaults.wrongOwner())
                .behave("loop.lab.test", DnsFaults.compressionLoop());
        DnsZones.fill(dns);
        dns.sign(signedZones.delegate(daneZone()));
        MailPolicyZones.fill(dns, http.secure("").replace("//127.0.0.1:", "//" + WEB + ":"));
    }

    /** Every target of the lab. */
    public List<LabTarget> targets() {
        List<LabTarget> targets = new ArrayList<>(http.targets());
        targets.addAll(AddressZones.targets());
        targets.addAll(RoutingZones.targets());
        targets.add(named(WEB, "200"));
        targets.add(named("alias.lab.test", "200"));
        targets.add(named("chain.lab.test", "200"));
        targets.add(named(HttpLab.INTERNAL_NAME, "target_blocked"));
        targets.add(named("mixed.lab.test", "target_blocked"));
        targets.add(named("metadata.lab.test", "target_blocked"));
        targets.add(named("alias-inside.lab.test", "target_blocked"));
        targets.add(named("rebinding.lab.test", "200 or target_blocked; never a connection to the canary"));
        targets.add(named("empty.lab.test", "dns_no_data"));
        targets.add(named("no-such-name.lab.test", "dns_nxdomain"));
        targets.add(new LabTarget("http-timing", "http://no-such-name.lab.test/", "dns_nxdomain"));
        targets.add(named("silent.lab.test", "dns_timeout"));
        targets.add(named("servfail.lab.test", "dns_servfail"));
        targets.add(named("wrong-owner.lab.test", "dns_timeout or dns_servfail"));
        targets.add(named("loop.lab.test", "dns_timeout or dns_servfail"));
        targets.addAll(tls.targets());
        TlsLab.Server modern = tls.server("valid");
        targets.add(new LabTarget("tls-protocols", modern.host() + ":" + modern.port(), "tls13=true"));
        targets.add(new LabTarget(
                "tls-protocols",
                "127.0.0.1:" + oldTls.port(),
                "legacy_enabled=true; SSL 3.0 with RC4 and TLS 1.0 with 3DES"));
        targets.addAll(startTls.targets());
        targets.addAll(smtp.targets());
        StartTlsLab.Server good = startTls.server("smtp");
        targets.add(new LabTarget("smtp-tls", StartTlsLab.HOST + ":" + good.port(), "verdict=pass; tls13=true"));
        targets.add(new LabTarget(
                "smtp-tls",
                StartTlsLab.HOST + ":" + startTls.server("smtp-plain").port(),
                "error=tls_handshake_failed"));
        targets.add(new LabTarget(
                "smtp-tls", "127.0.0.1:" + oldMail.port(), "verdict=warn; SSL 3.0 with RC4 and TLS 1.0 with 3DES"));
        targets.add(new LabTarget(
                "starttls-certificate",
                StartTlsLab.HOST + ":" + good.port() + "?protocol=smtp&warn_days=365",
                "verdict=warn; the certificate expires within a year"));
        targets.add(new LabTarget(
                "tls-protocols", "127.0.0.1:" + outdatedTls.port(), "verdict=warn; without forward secrecy"));
        targets.add(new LabTarget(
                "robots-txt",
                http.http("/").replace("//127.0.0.1:", "//" + HttpLab.UNAVAILABLE_NAME + ":"),
                "verdict=fail"));
        targets.add(new LabTarget("tcp-port", URI.create(http.http("/")).getAuthority(), "open=true"));
        targets.add(new LabTarget("tcp-port", WEB + ":" + closedPort, "connect_refused"));
        targets.addAll(registries.targets());
        targets.addAll(addresses.targets());
        targets.addAll(DnsZones.targets());
        targets.add(new LabTarget("dane-tlsa", "ok.dane.test:" + modern.port(), "matches=true"));
        targets.add(new LabTarget("dane-tlsa", "wrong.dane.test:" + modern.port(), "matches=false; other key"));
        targets.add(
                new LabTarget("dane-tlsa", modern.host() + ":" + modern.port(), "verdict=warn; not secured by DNSSEC"));
        targets.add(new LabTarget("dane-tlsa", "ok.dane.test:" + oldTls.port(), "verdict=pass; no TLSA records"));
        targets.addAll(MailPolicyZones.targets());
        return targets;
    }

    /** TLSA records of a TLS server; one of them does not match its certificate. */
    private SignedZone daneZone() {
        TlsLab.Server server = tls.server("valid");
        String key = TlsaText.spki(tls.identity("valid").chain().get(0));
        dns.record("_%d._tcp.%s. 60 IN TLSA 3 1 1 %s".formatted(server.port(), server.host(), key));
        return SignedZone.of("dane.test.")
                .record("ok A 127.0.0.1")
                .record("_%d._tcp.ok TLSA 3 1 1 %s".formatted(server.port(), key))
                .record("wrong A 127.0.0.1")
                .record("_%d._tcp.wrong TLSA 3 1 1 %s".formatted(server.port(), "00".repeat(32)));
    }

    private LabTarget named(String host, String expectation) {
        return new LabTarget("http-status", http.http("/ok").replace("//127.0.0.1:", "//" + host + ":"), expectation);
    }

    /**
     * The settings with which the service uses only the lab, as environment variables.
     *
     * @param roots the PEM file with {@link #rootPem()}
     */
    public List<String> environment(Path roots) {
        Set<Integer> ports = new LinkedHashSet<>(http.ports());
        tls.servers().forEach(server -> ports.add(server.port()));
        startTls.servers().forEach(server -> ports.add(server.port()));
        smtp.servers().forEach(server -> ports.add(server.port()));
        ports.addAll(registries.ports());
        ports.add(addresses.port());
        ports.add(oldTls.port());
        ports.add(oldMail.port());
        ports.add(outdatedTls.port());
        ports.add(closedPort);
        ports.add(URI.create(tls.revocation().url("/")).getPort());
        ports.add(dns.port());
        ports.add(outdatedResolver.port());
        List<String> settings = new ArrayList<>(routing.environment());
        settings.addAll(List.of(
                "PLUMBLINE_TARGETS_ALLOW=" + HttpLab.ALLOW,
                "PLUMBLINE_TARGETS_PORTS=" + ports.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "PLUMBLINE_DNS_SERVERS=" + dns.address(),
                "PLUMBLINE_DNS_PROPAGATION=current=" + dns.address() + ",outdated=" + outdatedResolver.address(),
                "PLUMBLINE_DNSBL_ZONES=bl.lab.test,dead.lab.test",
                "PLUMBLINE_DNS_TRUST_ANCHORS=" + signedZones.trustAnchor(),
                "PLUMBLINE_WHOIS_SERVER=" + registries.whoisServer(),
                "PLUMBLINE_RDAP_BOOTSTRAP=" + addresses.bootstrap(),
                "PLUMBLINE_REGISTRIES_PER_SERVER_PER_SECOND=0",
                "PLUMBLINE_REGISTRIES_PER_SERVER_CONCURRENT=0",
                "PLUMBLINE_TLS_EXTRA_ROOTS=" + roots,
                "PLUMBLINE_TARGETS_PER_IP_PER_SECOND=0",
                "PLUMBLINE_TARGETS_PER_IP_CONCURRENT=0",
                "PLUMBLINE_LIMITS_FRESH_PER_HOUR=0",
                "PLUMBLINE_LIMITS_JOBS_PER_HOUR=0",
                "PLUMBLINE_LIMITS_JOBS_PER_HOUR_ACCOUNT=0"));
        return settings;
    }

    /** The root certificate of the lab. The service must trust it. */
    public String rootPem() {
        return tls.rootPem();
    }

    public HttpLab http() {
        return http;
    }

    @Override
    public void close() {
        Await.value(vertx.close());
        tls.close();
        dns.close();
        outdatedResolver.close();
    }

    /**
     * {@code plumbline lab}: prints the targets on stdout, and the command that starts the service on stderr.
     *
     * @param arguments the folder for the settings of the service, and the first port (0: free ports)
     * @throws IOException if a port is in use or a file cannot be written; the message states what to do
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        // before the first use of TLS: servers of the JDK reject client-initiated renegotiation, as those of other
        // TLS libraries do
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        int base = Integer.parseInt(arguments[1]);
        try (Lab lab = new Lab(base == 0 ? LabPorts.free() : LabPorts.from(base))) {
            Path roots = Files.writeString(folder.resolve("root.pem"), lab.rootPem());
            Path environment = Files.write(
                    folder.resolve("environment"),
                    lab.environment(roots.toAbsolutePath()).stream()
                            .map(line -> "export " + line.replaceFirst("=", "='") + "'")
                            .toList());
            PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
            out.println("module\ttarget\texpectation");
            lab.targets().forEach(t -> out.println(t.module() + "\t" + t.target() + "\t" + t.expectation()));
            System.err.println("The test lab is ready. To start the service with its settings:");
            System.err.println("  (. " + environment.toAbsolutePath() + "; plumbline serve)");
            System.err.println("Each connection to a canary, which a check must never open, is reported below.");
            lab.watchCanaries(System.err);
            Thread.currentThread().join();
        }
    }

    private void watchCanaries(PrintStream err) {
        int[] known = {0};
        vertx.setPeriodic(1_000, timer -> {
            if (http.canaryConnections() > known[0]) {
                known[0] = http.canaryConnections();
                err.println("CANARY CONNECTIONS: " + known[0]);
            }
        });
    }
}
