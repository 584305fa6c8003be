package dev.plumbline.lab.domain;

import static dev.plumbline.lab.domain.Subject.CERTIFICATE;
import static dev.plumbline.lab.domain.Subject.FILE;
import static dev.plumbline.lab.domain.Subject.HTTP_PORT;
import static dev.plumbline.lab.domain.Subject.IPV6;
import static dev.plumbline.lab.domain.Subject.PAGE;
import static dev.plumbline.lab.domain.Subject.PROTOCOL;
import static dev.plumbline.lab.domain.Subject.RESPONSE;
import static dev.plumbline.lab.domain.Subject.SITE_ADDRESS;
import static dev.plumbline.lab.domain.Subject.SITE_PORT;
import static dev.plumbline.lab.domain.Subject.WWW;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Faults of the website and of its TLS server. */
final class SiteFaults {
    private static final String CERTIFICATE_MODULE = "ssl-certificate";

    /** The modules whose errors mean that the website does not respond. */
    private static final Set<String> ENTRIES = Set.of("http-status", CERTIFICATE_MODULE);

    private final List<Fault> faults = new ArrayList<>();

    private SiteFaults() {}

    static List<Fault> all() {
        SiteFaults all = new SiteFaults();
        all.addCertificates();
        all.addConnections();
        all.addResponses();
        all.addHeaders();
        all.addContent();
        all.addFiles();
        all.addProtocols();
        return List.copyOf(all.faults);
    }

    private void addCertificates() {
        certificate(
                "certificate expired 3 days ago",
                "expired",
                site -> site.certificate(spec -> spec.from(ago(93)).until(ago(3))));
        certificate("certificate not valid yet", "not_yet_valid", site -> site.certificate(spec -> spec.from(in(1))));
        certificate("certificate of another host", "hostname_mismatch", site -> site.certificateHost("other.test"));
        certificate("self-signed certificate", "self_signed", SiteSpec::selfSigned);
        certificate("certificate of an unknown CA", "untrusted_root", SiteSpec::untrustedIssuer);
        certificate("missing intermediate certificate", "incomplete_chain", SiteSpec::withoutIntermediate);
        certificate(
                "certificate expires tomorrow",
                "expiry_imminent",
                site -> site.certificate(spec -> spec.from(ago(89)).until(in(1))));
        certificate(
                "certificate expires in 10 days",
                "expiring_soon",
                site -> site.certificate(spec -> spec.from(ago(80)).until(in(10))));
        certificate("weak key", "weak_key", site -> site.certificate(spec -> spec.key("RSA-1024")));
    }

    private void addConnections() {
        add("port 443 closed", SITE_PORT, "connect_refused", ENTRIES, site -> site.https(PortState.REFUSED));
        add("port 443 silent", SITE_PORT, "read_timeout", ENTRIES, site -> site.https(PortState.SILENT));
        add(
                "port 443 resets connections",
                SITE_PORT,
                "connection_reset",
                ENTRIES,
                site -> site.https(PortState.RESETTING));
        add(
                "TLS handshake fails",
                SITE_PORT,
                "tls_handshake_failed",
                ENTRIES,
                site -> site.https(PortState.HANDSHAKE_FAILING));
        zone(
                "no address of the website",
                SITE_ADDRESS,
                "dns_no_data",
                "http-status",
                zone -> zone.removeAddresses("@"));
        zone(
                "website at an address without a server",
                SITE_ADDRESS,
                "connect_refused",
                "http-status",
                zone -> zone.moveToUnusedAddress("@"));
        zone("no AAAA record", IPV6, "web_no_aaaa", "ipv6-readiness", zone -> zone.remove("@", "AAAA"));
        zone(
                "www at an address without a server",
                WWW,
                "www_unreachable",
                "https-redirect",
                zone -> zone.moveToUnusedAddress("www"));
        add(
                "no response over IPv6",
                IPV6,
                "http_over_ipv6_failed",
                Set.of("ipv6-readiness"),
                site -> site.ipv6(PortState.REFUSED));
    }

    private void addResponses() {
        add("status 500", RESPONSE, "status_server_error", Set.of("http-status"), site -> site.status("/", 500));
        add("status 503", RESPONSE, "status_server_error", Set.of("http-status"), site -> site.status("/", 503));
        add("status 404", RESPONSE, "status_client_error", Set.of("http-status"), site -> site.status("/", 404));
        addFault("redirect loop", RESPONSE, "redirect_loop", "redirect-chain", "web", domain -> domain.site()
                .redirect("https://" + domain.domain() + "/"));
        addFault("endless redirects", RESPONSE, "too_many_redirects", "redirect-chain", "web", domain -> domain.site()
                .withEndlessRedirects());
        addFault("redirect to a closed port", RESPONSE, "connect_refused", "http-status", "web", domain -> domain.site()
                .redirect("https://" + domain.domain() + ":8443/"));
        add(
                "HTTP without redirect to HTTPS",
                HTTP_PORT,
                "http_not_redirected",
                Set.of("https-redirect"),
                SiteSpec::withoutRedirectToHttps);
    }

    private void addHeaders() {
        header("no HSTS", "hsts_missing", "hsts", "strict-transport-security", "");
        header("short HSTS", "hsts_short", "hsts", "strict-transport-security", "max-age=3600");
        header("no CSP", "csp_missing", "security-headers", "content-security-policy", "");
        header(
                "CSP with inline scripts",
                "csp_inline_scripts",
                "security-headers",
                "content-security-policy",
                "default-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'");
        header("no X-Content-Type-Options", "nosniff_missing", "security-headers", "x-content-type-options", "");
        header(
                "session cookie without Secure",
                "cookie_insecure",
                "cookies",
                "set-cookie",
                "sessionid=abc; HttpOnly; SameSite=Lax; Path=/");
        header("no lifetime", "freshness_missing", "http-caching", "cache-control", "");
        header("noindex header", "noindex_header", "indexability", "x-robots-tag", "noindex");
    }

    private void addContent() {
        page(
                "mixed content",
                "active_mixed_content",
                "mixed-content",
                site -> site.html("</h1>", "</h1><script src=\"http://cdn.test/a.js\"></script>"));
        page(
                "noindex in the page",
                "noindex_meta",
                "indexability",
                site -> site.html("</head>", "<meta name=\"robots\" content=\"noindex\"></head>"));
        page("no title", "title_missing", "page-metadata", site -> site.html("<title>", "<!--")
                .html("</title>", "-->"));
        page("no viewport", "viewport_missing", "page-metadata", site -> site.html("name=\"viewport\"", "name=\"x\""));
        page("any origin with credentials", "any_origin_with_credentials", "cors", SiteSpec::reflectOrigin);
    }

    private void addFiles() {
        file("robots.txt with status 500", "robots_unreachable", "robots-txt", site -> site.status("/robots.txt", 500));
        file("sitemap with status 404", "sitemap_unavailable", "sitemap", site -> site.removePage("/sitemap.xml"));
        file(
                "no security.txt",
                "security_txt_missing",
                "security-txt",
                site -> site.removePage("/.well-known/security.txt"));
        file("security.txt expired", "security_txt_expired", "security-txt", site -> site.securityTxt(ago(5)));
    }

    private void addProtocols() {
        add(
                "no compression",
                PROTOCOL,
                "compression_missing",
                Set.of("http-compression"),
                SiteSpec::withoutCompression);
        add("no HTTP/2", PROTOCOL, "http2_missing", Set.of("http-versions"), SiteSpec::withoutHttp2);
        add(
                "no conditional responses",
                PROTOCOL,
                "not_revalidated",
                Set.of("http-caching"),
                SiteSpec::withoutRevalidation);
        addFault("TLS 1.0 enabled", PROTOCOL, "tls10_enabled", "tls-protocols", "tls", domain -> domain.site()
                .withLegacyTls());
    }

    private static Instant ago(int days) {
        return Instant.now().minus(days, ChronoUnit.DAYS);
    }

    private static Instant in(int days) {
        return Instant.now().plus(days, ChronoUnit.DAYS);
    }

    private void certificate(String name, String code, Consumer<SiteSpec> change) {
        addFault(name, CERTIFICATE, code, CERTIFICATE_MODULE, "tls", domain -> change.accept(domain.site()));
    }

    private void header(String name, String code, String module, String header, String value) {
        page(name, code, module, site -> site.header(header, value));
    }

    private void page(String name, String code, String module, Consumer<SiteSpec> change) {
        add(name, PAGE, code, Set.of(module), change);
    }

    private void file(String name, String code, String module, Consumer<SiteSpec> change) {
        add(name, FILE, code, Set.of(module), change);
    }

    private void add(String name, Subject subject, String code, Set<String> modules, Consumer<SiteSpec> change) {
        faults.add(new Fault(name, domain -> change.accept(domain.site()), code, modules, "web", subject));
    }

    private void zone(String name, Subject subject, String code, String module, Consumer<ZoneSpec> change) {
        addFault(name, subject, code, module, "web", domain -> change.accept(domain.zone()));
    }

    private void addFault(
            String name, Subject subject, String code, String module, String area, Consumer<DomainSpec> change) {
        faults.add(new Fault(name, change, code, Set.of(module), area, subject));
    }
}
