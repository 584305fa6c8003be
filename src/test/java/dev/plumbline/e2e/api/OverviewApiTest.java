package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.support.Curl;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The overview of domains whose web servers are nginx and a silent server on ports 80 and 443 of loopback. */
@Tag("integration")
class OverviewApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String SITE = "127.15.1.1";
    private static final String EXPIRED = "127.15.1.3";
    private static final String SILENT = "127.15.1.2";
    private static final List<CompositePart> PARTS = ModuleCatalogue.load().parts("overview");

    @TempDir
    static Path folder;

    private static final List<ServerSocket> SOCKETS = new ArrayList<>();
    private static NginxServer nginx;
    private static DnsLab dns;
    private static ServiceUnderTest service;

    /** With the default rate limits of targets. */
    @BeforeAll
    static void start() throws IOException {
        TestCa root = TestCa.root("Overview Root");
        String domains = "good.overview.test www.good.overview.test once.overview.test line.overview.test";
        TestCa.Identity expired = root.issue(CertificateSpec.server("expired.overview.test")
                .from(Instant.now().minus(Duration.ofDays(93)))
                .until(Instant.now().minus(Duration.ofDays(3))));
        Files.writeString(
                folder.resolve("expired.pem"), TestCa.pem(expired.chain().toArray(new X509Certificate[0])));
        Files.writeString(folder.resolve("expired-key.pem"), expired.keyPem());
        nginx = NginxServer.start(
                folder,
                root.issue(CertificateSpec.server(domains.split(" "))),
                """
                return 421; }
                server { listen %1$s:80; server_name %2$s; access_log FOLDER/access.log; return 301 https://$host$request_uri; }
                server {
                  listen %1$s:443 ssl http2; server_name %2$s; access_log FOLDER/access.log;
                  ssl_certificate FOLDER/chain.pem; ssl_certificate_key FOLDER/key.pem;
                  default_type text/html;
                  add_header Strict-Transport-Security 'max-age=63072000; includeSubDomains';
                  location = / { return 200 '<!doctype html><html lang="en"><title>Good</title><h1>Good</h1></html>'; }
                  location / { return 404 'not found'; }
                }
                server {
                  listen %3$s:80; server_name expired.overview.test; return 301 https://$host$request_uri; }
                server {
                  listen %3$s:443 ssl; server_name expired.overview.test; access_log off;
                  ssl_certificate FOLDER/expired.pem; ssl_certificate_key FOLDER/expired-key.pem;
                  default_type text/html;
                  location = / { return 200 '<!doctype html><html lang="en"><title>Old</title><h1>Old</h1></html>'; }
                  location / { return 404 'not found'; }
                """
                        .formatted(SITE, domains, EXPIRED));
        for (int port : new int[] {80, 443}) {
            SOCKETS.add(new ServerSocket(port, 200, InetAddress.getByName(SILENT)));
        }
        dns = DnsLab.start();
        for (String domain : domains.split(" ")) {
            dns.address(domain, SITE).record(domain + ". 60 IN MX 0 .").record(domain + ". 60 IN TXT \"v=spf1 -all\"");
        }
        dns.address("expired.overview.test", EXPIRED)
                .record("expired.overview.test. 60 IN MX 0 .")
                .address("silent.overview.test", SILENT)
                .record("mail.overview.test. 60 IN MX 20 first.overview.test.")
                .record("mail.overview.test. 60 IN MX 10 second.overview.test.")
                .address("first.overview.test", SITE)
                .address("second.overview.test", SITE);
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "DNS_SERVERS",
                        dns.address(),
                        "TLS_EXTRA_ROOTS",
                        Files.writeString(folder.resolve("root.pem"), TestCa.pem(root.certificate()))
                                .toString(),
                        "TARGETS_PER_IP_PER_SECOND",
                        "20",
                        "TARGETS_PER_IP_CONCURRENT",
                        "8",
                        "HTTP_TRUSTED_PROXIES",
                        "127.0.0.0/8"));
    }

    /** They are null if a program is missing. */
    @AfterAll
    static void stop() throws IOException {
        if (nginx != null) {
            nginx.close();
        }
        for (ServerSocket socket : SOCKETS) {
            socket.close();
        }
        if (service != null) {
            dns.close();
            service.close();
        }
    }

    private static JsonObject overview(String domain, String query, String client) {
        HttpResponse<String> response =
                service.get(ServiceUnderTest.instantPath("overview", domain) + query, "X-Forwarded-For", client);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private static Map<String, JsonObject> parts(JsonObject overview) {
        return overview.getJsonObject("fields").getJsonArray("parts").stream()
                .map(JsonObject.class::cast)
                .collect(Collectors.toMap(part -> part.getString("module"), part -> part));
    }

    @Test
    void aSiteIsCheckedByEachPart() throws Exception {
        JsonObject overview = overview("good.overview.test", "", "203.0.113.1");
        Map<String, JsonObject> parts = parts(overview);
        long requests = Files.readAllLines(folder.resolve("access.log")).size();

        assertThat(parts.keySet())
                .containsAll(PARTS.stream()
                        .filter(part -> !part.needsMailServer())
                        .map(part -> part.module().module())
                        // the service does not have an RPKI validator
                        .filter(module -> !module.equals("rpki"))
                        .toList());
        assertThat(parts).doesNotContainKey("rpki");
        assertThat(parts.get("http-status").getString("target")).isEqualTo("https://good.overview.test/");
        assertThat(parts.get("http-status").getString("verdict"))
                .as(parts.get("http-status").encode())
                .isEqualTo("pass");
        assertThat(parts.get("hsts").getString("verdict"))
                .as(parts.get("hsts").encode())
                .isEqualTo("pass");
        assertThat(parts.get("ssl-certificate").getString("verdict")).isIn("pass", "warn");
        assertThat(parts.get("mx").getString("verdict"))
                .as(parts.get("mx").encode())
                .isEqualTo("pass");
        assertThat(parts).doesNotContainKey("smtp");
        assertThat(requests).isBetween(10L, 200L);
        String status = Curl.run(
                "https://good.overview.test/",
                "--resolve",
                "good.overview.test:443:" + SITE,
                "-o",
                "/dev/null",
                "-w",
                "%{http_code}");
        assertThat(status).isEqualTo("200");
    }

    /** The certificate is the cause of the errors of the website's checks, which are repeated without verification. */
    @Test
    void anExpiredCertificateIsOneCause() {
        JsonObject overview = overview("expired.overview.test", "", "203.0.113.7");
        JsonObject fields = overview.getJsonObject("fields");
        JsonObject first = fields.getJsonArray("fix_first").getJsonObject(0);

        assertThat(first.getString("code")).isEqualTo("expired");
        assertThat(first.getString("module")).isEqualTo("ssl-certificate");
        assertThat(first.getString("consequence")).isEqualTo("unavailable");
        assertThat(first.getJsonArray("parts"))
                .startsWith("ssl-certificate")
                .contains("http-status", "hsts", "security-headers", "page-metadata");
        assertThat(fields.getJsonArray("causes").stream().map(cause -> ((JsonObject) cause).getString("code")))
                .doesNotContain("tls_untrusted", "certificate_invalid");
        assertThat(fields.getString("grade")).isIn("E", "F");
        for (String area : List.of("web", "tls")) {
            assertThat(fields.getJsonObject("areas").getJsonObject(area).getInteger("score"))
                    .isZero();
        }
        JsonObject headers = parts(overview).get("security-headers");
        assertThat(headers.getBoolean("unverified")).isTrue();
        assertThat(headers.getString("verdict")).isIn("warn", "fail");
        assertThat(headers.getJsonObject("error").getString("code")).isEqualTo("tls_untrusted");
        JsonObject entry = parts(overview).get("http-status");
        assertThat(entry.getString("verdict")).isEqualTo("fail");
        assertThat(entry.getString("headline"))
                .as("not that of the unverified result")
                .isNull();
        assertThat(entry.getJsonObject("error").getString("code")).isEqualTo("tls_untrusted");
    }

    @Test
    void mailServersAreChecked() {
        JsonObject overview = overview("mail.overview.test", "?areas=mail", "203.0.113.6");
        JsonObject smtp = parts(overview).get("smtp");

        assertThat(smtp.getString("target")).isEqualTo("second.overview.test");
        assertThat(smtp.getString("verdict")).isEqualTo("fail");
        assertThat(smtp.getJsonObject("error").getString("code")).isEqualTo("connect_refused");
    }

    @Test
    void anOverviewIsChargedOnceAndItsPartsAreCached() {
        HttpResponse<String> fresh =
                service.instant("overview", "once.overview.test", "X-Forwarded-For", "203.0.113.2");
        assertThat(fresh.headers().firstValue("RateLimit").orElse("")).startsWith("\"fresh\";r=29;");
        JsonObject overview = new JsonObject(fresh.body());

        for (JsonObject part : parts(overview).values()) {
            String verdict = part.getString("verdict");
            if (!verdict.equals("error")) {
                HttpResponse<String> own = service.instant(
                        part.getString("module"), part.getString("target"), "X-Forwarded-For", "203.0.113.2");
                JsonObject result = new JsonObject(own.body());
                assertThat(result.getBoolean("cached")).as(own.body()).isTrue();
                assertThat(result.getString("verdict")).isEqualTo(verdict);
                assertThat(own.headers().firstValue("RateLimit")).isEmpty();
            }
        }
    }

    @Test
    void equalOverviewsAndPartsRunOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<JsonObject>> overviews = new ArrayList<>();
            for (String areas : List.of("web", "web,dns", "web,mail", "web")) {
                overviews.add(
                        threads.submit(() -> overview("www.good.overview.test", "?areas=" + areas, "203.0.113.3")));
            }
            List<String> checked = new ArrayList<>();
            for (Future<JsonObject> overview : overviews) {
                JsonObject fields = overview.get().getJsonObject("fields");
                assertThat(fields.getJsonObject("areas").getValue("tls")).isNull();
                checked.add(fields.getJsonArray("parts").stream()
                        .map(JsonObject.class::cast)
                        .filter(part -> part.getString("area").equals("web"))
                        .map(JsonObject::encode)
                        .collect(Collectors.joining("\n")));
            }
            assertThat(checked).containsOnly(checked.get(0));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void partsOfASilentServerExceedTheDeadlineAndTheOverviewIsNotCached() {
        JsonObject overview = overview("silent.overview.test", "?timeout_ms=2000", "203.0.113.4");
        Map<String, JsonObject> parts = parts(overview);

        assertThat(parts.get("http-status").getJsonObject("error").getString("code"))
                .isEqualTo("deadline_exceeded");
        assertThat(parts.get("dns-records").getString("verdict")).isIn("pass", "warn");
        assertThat(parts.get("spf").getValue("error")).isNull();
        JsonObject areas = overview.getJsonObject("fields").getJsonObject("areas");
        assertThat(areas.getJsonObject("web").getValue("score")).isNull();
        assertThat(areas.getJsonObject("mail").getValue("score")).isNotNull();
        assertThat(overview.getString("expires_at")).isEqualTo(overview.getString("checked_at"));
        JsonObject spf =
                new JsonObject(service.instant("spf", "silent.overview.test").body());
        assertThat(spf.getBoolean("cached")).isTrue();

        JsonObject again = overview("silent.overview.test", "?timeout_ms=2000", "203.0.113.4");
        assertThat(again.getBoolean("cached")).isFalse();
    }

    @Test
    void aDomainThatDoesNotExistIsAnError() {
        JsonObject overview = overview("missing.overview.test", "?areas=web,tls,mail", "203.0.113.5");

        assertThat(overview.getString("verdict")).isEqualTo("error");
        assertThat(overview.getJsonObject("error").getString("code")).isEqualTo("dns_nxdomain");
        assertThat(overview.getJsonObject("fields").getValue("score")).isNull();
    }

    @Test
    void toolsListContainsTheParts() {
        JsonArray parts = new JsonObject(service.get("/api/v1/tools/overview").body()).getJsonArray("parts");

        assertThat(parts.stream().map(part -> ((JsonObject) part).getString("module")))
                .containsExactlyElementsOf(
                        PARTS.stream().map(part -> part.module().module()).toList());
        assertThat(parts.getJsonObject(0))
                .isEqualTo(new JsonObject()
                        .put("module", "cookies")
                        .put("area", "web")
                        .put("area_title", "Website")
                        .put("column", "cookies_verdict"));
    }

    /** With the default number of concurrent checks. */
    @Test
    void eachLineOfAJobHasItsOwnTimeLimit() {
        JobsApiClient jobs = new JobsApiClient(
                service, new TestAccounts(DATABASE.open()).key().secret());
        List<String> domains = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            String domain = "many-" + i + ".example-" + i + ".test";
            String address = "127.15.1." + (10 + i);
            dns.address(domain, address);
            domains.add(domain);
        }
        JsonObject request = JobsApiClient.body(domains, new JsonObject().put("areas", new JsonArray().add("web")))
                .put("module", "overview");
        String token = JobsApiClient.token(jobs.post(request.encode()));
        JsonObject job = new JsonObject();
        for (int i = 0; i < 4 && job.getString("finished_at") == null; i++) {
            job = new JsonObject(jobs.get("/" + token, "Prefer", "wait=30").body());
        }

        assertThat(JobsApiClient.lines(job)).hasSize(40).allSatisfy(line -> assertThat(line.encode())
                .contains("connect_refused")
                .doesNotContain("deadline_exceeded"));
    }

    /** One line per domain; the CSV has a column with the verdict of each part after the fields. */
    @Test
    void aLineOfAJobHasTheVerdictOfEachPart() {
        JobsApiClient jobs = new JobsApiClient(
                service, new TestAccounts(DATABASE.open()).key().secret());
        JsonObject request = JobsApiClient.body(List.of("line.overview.test"), new JsonObject())
                .put("module", "overview");
        JsonObject job = jobs.finished(JobsApiClient.token(jobs.post(request.encode())));
        String csv = jobs.get("/" + job.getString("token") + "/results.csv").body();

        List<NamedCsvRecord> lines =
                CsvReader.builder().ofNamedCsvRecord(csv).stream().toList();
        assertThat(lines).hasSize(1);
        List<String> header = lines.get(0).getHeader();
        List<String> columns = PARTS.stream().map(CompositePart::column).toList();
        assertThat(header).containsSubsequence(columns).endsWith("finding_codes", "top_finding");
        assertThat(header.indexOf(columns.get(0))).isEqualTo(header.indexOf("failed_count") + 1);
        parts(job.getJsonArray("results").getJsonObject(0))
                .forEach((module, part) -> assertThat(lines.get(0).getField(module.replace('-', '_') + "_verdict"))
                        .isEqualTo(part.getString("verdict")));
    }

    /** The summary has the grades of each area. An unchanged domain has no changes. */
    @Test
    void jobsAreSummarizedByAreaAndCompared() {
        JobsApiClient jobs = new JobsApiClient(
                service, new TestAccounts(DATABASE.open()).key().secret());
        JsonObject options = new JsonObject().put("fresh", true);
        JsonObject request = JobsApiClient.body(List.of("line.overview.test", "expired.overview.test"), options)
                .put("module", "overview");
        String first = JobsApiClient.token(jobs.post(request.encode()));
        jobs.finished(first);
        String second = JobsApiClient.token(jobs.post(request.encode()));
        jobs.finished(second);

        JsonObject summary = new JsonObject(jobs.get("/" + first + "/summary").body());
        List<JsonObject> areas = summary.getJsonArray("areas").stream()
                .map(JsonObject.class::cast)
                .toList();
        assertThat(areas)
                .extracting(area -> area.getString("area"))
                .containsExactly("web", "tls", "dns", "mail", "registration");
        assertThat(areas).allSatisfy(area -> assertThat(area.getJsonArray("grades").stream()
                        .mapToInt(grade -> ((JsonObject) grade).getInteger("count"))
                        .sum())
                .isEqualTo(2));
        assertThat(areas.get(1).getJsonArray("grades")).hasSize(2);
        assertThat(summary.getJsonArray("findings").stream().map(JsonObject.class::cast))
                .anySatisfy(finding -> {
                    assertThat(finding.getString("part")).isEqualTo("ssl-certificate");
                    assertThat(finding.getString("code")).isEqualTo("expired");
                    assertThat(finding.getString("title")).isNotEmpty();
                    assertThat(finding.getJsonArray("indexes")).containsExactly(1);
                });
        String expired = jobs.get("/" + first + "/summary?finding=ssl-certificate/expired")
                .body();
        assertThat(new JsonObject(expired).getInteger("matched")).isEqualTo(1);
        JsonObject diff =
                new JsonObject(jobs.get("/" + second + "/diff?against=" + first).body());
        assertThat(diff.getJsonArray("lines")).isEmpty();
        assertThat(diff.getJsonObject("counts").getInteger("unchanged")).isEqualTo(2);
    }
}
