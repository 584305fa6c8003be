package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Measures the service from its jar and reference programs on this machine, and prints a table. The two sides of a
 * ratio are measured alternately in the same run.
 */
public final class Bench {
    private Bench() {}

    /** All rows in the order of the table. */
    static List<Row> rows() {
        CachedRow cached = CachedRow.ofTheApi();
        FreshRow http = new FreshRow(
                "http",
                "Fresh http-status, HTTP ÷ blackbox_exporter /probe",
                FreshRow.Site.HTTP,
                "",
                3,
                "defaults: Plumbline sends HEAD, the reference GET");
        FreshRow httpGet =
                new FreshRow("http-get", "Same with method=get", FreshRow.Site.HTTP, "?method=get", 3, "both send GET");
        FreshRow https = new FreshRow(
                "https",
                "Fresh http-status, HTTPS without verification ÷ blackbox_exporter /probe",
                FreshRow.Site.HTTPS,
                "?verify_tls=false",
                2,
                "neither verifies the certificate; Plumbline sends HEAD, the reference GET");
        FreshRow httpsGet = new FreshRow(
                "https-get",
                "Same with method=get",
                FreshRow.Site.HTTPS,
                "?verify_tls=false&method=get",
                2,
                "neither verifies; both send GET");
        FreshRow httpsVerified = new FreshRow(
                "https-verified",
                "Same, only Plumbline verifies the certificate",
                FreshRow.Site.HTTPS,
                "",
                2,
                "Plumbline verifies with a root from tls.extra_roots; Plumbline sends HEAD, the reference GET");
        FreshRow httpsMlkem = new FreshRow(
                "https-mlkem",
                "Same without verification, site in Go with X25519MLKEM768",
                FreshRow.Site.MLKEM,
                "?verify_tls=false&method=get",
                2,
                "neither verifies; both send GET; the reference offers X25519MLKEM768 only if it is built with Go 1.24 or newer");
        List<Row> rows = new ArrayList<>(
                List.of(cached, CachedRow.ofTheWeb(), http, httpGet, https, httpsGet, httpsVerified, httpsMlkem));
        rows.add(new HandshakeRow(false));
        rows.add(new HandshakeRow(true));
        rows.addAll(jobRows());
        rows.addAll(moduleRows());
        rows.add(new HttpxRow());
        rows.add(new StartRow());
        rows.add(new ColdRow());
        rows.add(new DiffRow());
        rows.add(new PortfolioRow());
        rows.add(new MemoryRow(List.of(cached, http, https)));
        rows.addAll(clusterRows());
        // last, because a million lines remain in the queue of their service
        rows.addAll(List.of(new SmallJobRow(), new QueuedMemoryRow()));
        return rows;
    }

    private static List<Row> jobRows() {
        JsonObject unverified = new JsonObject().put("verify_tls", false);
        return List.of(
                new BulkRow(
                        "bulk",
                        "Bulk http-status, HTTP ÷ curl -Z --parallel-max 64",
                        false,
                        new JsonObject(),
                        1,
                        "defaults: Plumbline sends HEAD, the reference GET"),
                new BulkRow(
                        "bulk-get",
                        "Same with method=get",
                        false,
                        new JsonObject().put("method", "get"),
                        1,
                        "both send GET"),
                new BulkRow(
                        "bulk-https",
                        "Bulk http-status, HTTPS without verification ÷ curl -Z --parallel-max 64",
                        true,
                        unverified,
                        1.3,
                        "neither verifies the certificate; Plumbline sends HEAD, the reference GET"),
                new BulkRow(
                        "bulk-https-get",
                        "Same with method=get",
                        true,
                        unverified.copy().put("method", "get"),
                        1.3,
                        "neither verifies; both send GET"),
                new CreationsRow(),
                new PollsRow(),
                new ClaimRow(),
                new PermitsRow());
    }

    private static List<Row> clusterRows() {
        String scale = "Latency-bound bulk http-status ÷ one run node";
        return List.of(
                new ScaleRow("scale", scale + ", one coordinator", false),
                new ScaleRow("scale-all", scale + ", all roles on each node", true),
                new ClusterCachedRow(),
                new BusHopRow());
    }

    private static List<Row> moduleRows() {
        List<Row> rows = new ArrayList<>(List.of(
                new ModuleRow("ssl-certificate", ModuleRow.servers()),
                // addresses, because tlsx loses DNS responses
                new ModuleRow(
                        "ssl-certificate",
                        ModuleRow.serverAddresses(),
                        new ModuleRow.Peer("tlsx", ListTool::tlsx, 1.5)),
                ModuleRow.ofDistinctCertificates(TestCertificate.Signer.P256),
                ModuleRow.ofDistinctCertificates(TestCertificate.Signer.P384),
                ModuleRow.ofDistinctCertificates(TestCertificate.Signer.RSA),
                new ModuleRow("dns-records", ModuleRow.names()),
                new ModuleRow("dns-records", ModuleRow.names(), new ModuleRow.Peer("dnsx", ListTool::dnsx, 1.5)),
                new ModuleRow("dnssec", ModuleRow.signedNames()),
                new ModuleRow("dnssec", ModuleRow.signedNames(), new ModuleRow.Peer("delv", ListTool::delv, 6, 1)),
                new DnsperfRow(),
                new ModuleRow("redirect-chain", ModuleRow.pages(false, "/moved/")),
                new ModuleRow("security-headers", ModuleRow.pages(true, "/")),
                new ModuleRow("tls-protocols", ModuleRow.servers())));
        for (String module : List.of("hsts", "https-redirect", "security-txt")) {
            rows.add(new ModuleRow(module, ModuleRow.domains()));
        }
        for (String module : List.of(
                "http-headers",
                "http-versions",
                "http-compression",
                "http-caching",
                "indexability",
                "page-links",
                "mixed-content")) {
            rows.add(new ModuleRow(module, ModuleRow.site("/", "")));
        }
        rows.add(new ModuleRow("cookies", ModuleRow.site("/cookies/", "")));
        rows.add(new ModuleRow("cors", ModuleRow.site("/cors/", "")));
        rows.add(new ModuleRow("sitemap", ModuleRow.site("/sitemap/", ".xml")));
        rows.add(new ModuleRow("websocket", ModuleRow.sockets()));
        rows.add(new ModuleRow("starttls-certificate", ModuleRow.mailServers()));
        rows.addAll(domainRows());
        return rows;
    }

    private static List<Row> domainRows() {
        List<Row> rows = new ArrayList<>(List.of(
                new ModuleRow("smtp", ModuleRow.mailServers()),
                new ModuleRow("caa", ModuleRow.names()),
                new ModuleRow("dane-tlsa", ModuleRow.signedServers()),
                new ModuleRow("email-address", ModuleRow.mailDomains("user@m")),
                new ModuleRow("ipv6-readiness", ModuleRow.dualSites()),
                new ModuleRow("reverse-dns", ModuleRow.addresses("127.100")),
                new ModuleRow("dnsbl", ModuleRow.addresses("127.100")),
                new ModuleRow("ip-registration", ModuleRow.addresses("20.0"))));
        for (String module : List.of("nameservers", "soa", "dns-propagation")) {
            rows.add(new ModuleRow(module, ModuleRow.delegated()));
        }
        for (String module : List.of("dkim", "mta-sts", "tls-rpt", "bimi")) {
            rows.add(new ModuleRow(module, ModuleRow.mailDomains("m")));
        }
        for (String module : List.of("mail-health", "overview")) {
            rows.add(ModuleRow.ofComposite(module, ModuleRow.mailDomains("m")));
        }
        return rows;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        BenchOptions options = BenchOptions.fromSystemProperties();
        List<Row> selected = rows().stream()
                .filter(row -> options.only().isEmpty() || options.only().contains(row.id()))
                .toList();
        if (selected.isEmpty()) {
            System.err.println("Unknown row: "
                    + String.join(", ", options.only())
                    + ". Available rows: "
                    + String.join(", ", rows().stream().map(Row::id).toList()));
            System.exit(2);
        }
        System.out.printf(
                Locale.ROOT,
                "%d rounds of %d s after a warm-up of %d s, %d connections, %d processors, Java %s%n",
                options.rounds(),
                options.round().toSeconds(),
                options.warmup().toSeconds(),
                BenchOptions.CONNECTIONS,
                Runtime.getRuntime().availableProcessors(),
                Runtime.version());
        List<BulkLine> table = new ArrayList<>();
        boolean failed = false;
        try (BenchStage stage = new BenchStage(options)) {
            // stops all processes if the benchmark is interrupted
            Runtime.getRuntime().addShutdownHook(new Thread(stage::close));
            for (Row row : selected) {
                long began = System.nanoTime();
                try {
                    table.addAll(row.measure(stage));
                } catch (MissingProgramException missing) {
                    table.add(BulkLine.skipped(row.id(), String.valueOf(missing.getMessage())));
                } catch (IOException broken) {
                    failed = true;
                    table.add(BulkLine.skipped(row.id(), String.valueOf(broken.getMessage())));
                }
                long took = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
                System.out.println("  " + row.id() + ": complete after " + took + " s");
            }
        }
        print(table);
        if (failed) {
            System.exit(1);
        }
    }

    private static void print(List<BulkLine> table) {
        System.out.println();
        System.out.println("| row | ratio or value | goal | Plumbline | reference | errors and notes |");
        System.out.println("|---|---|---|---|---|---|");
        for (BulkLine line : table) {
            System.out.println("| "
                    + String.join(
                            " | ", line.what(), line.figure(), line.goal(), line.ours(), line.theirs(), line.note())
                    + " |");
        }
    }
}
