package dev.plumbline.lab.domain;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.ScriptedTlsServer;
import dev.plumbline.lab.TestCa;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The website of a domain of the lab, and the host of its MTA-STS policy. Each method changes this object. */
public final class SiteSpec {
    /**
     * A response.
     *
     * @param headers without Content-Type and Content-Length; also those of a redirect
     */
    public record Page(int status, String contentType, String body, Map<String, String> headers) {
        Page(int status, String contentType, String body) {
            this(status, contentType, body, Map.of());
        }

        static Page redirect(String location) {
            return new Page(301, "text/plain", "moved\n", Map.of("location", location));
        }

        Page withStatus(int other) {
            return new Page(other, contentType, body, headers);
        }
    }

    private static final String HTML = "text/html; charset=utf-8";
    private static final String TEXT = "text/plain; charset=utf-8";

    private final String domain;
    private final Map<String, Page> pages = new HashMap<>();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private PortState http = PortState.OPEN;
    private PortState https = PortState.OPEN;
    private PortState ipv6 = PortState.OPEN;
    private @Nullable String nginx;
    private @Nullable ScriptedTlsServer scripted;
    private @Nullable List<String> openssl;
    private boolean redirectsToHttps = true;
    private boolean endlessRedirects;
    private boolean compresses = true;
    private boolean revalidates = true;
    private boolean http2 = true;
    private boolean legacyTls;
    private boolean tls13 = true;
    private boolean reflectsOrigin;
    private UnaryOperator<CertificateSpec> certificate = UnaryOperator.identity();
    private UnaryOperator<CertificateSpec> policyCertificate = UnaryOperator.identity();
    private boolean selfSigned;
    private boolean untrustedIssuer;
    private boolean sendsIntermediate = true;
    private String certificateHost;
    private Page policy;

    SiteSpec(String domain) {
        this.domain = domain;
        this.certificateHost = domain;
        headers.put("strict-transport-security", "max-age=31536000; includeSubDomains");
        headers.put(
                "content-security-policy",
                "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
        headers.put("x-content-type-options", "nosniff");
        headers.put("x-frame-options", "DENY");
        headers.put("referrer-policy", "no-referrer");
        headers.put("permissions-policy", "camera=(), microphone=(), geolocation=()");
        headers.put("cross-origin-opener-policy", "same-origin");
        headers.put("cross-origin-resource-policy", "same-origin");
        headers.put("cache-control", "max-age=3600");
        headers.put("etag", "W/\"1\"");
        String origin = "https://" + domain;
        page("/", new Page(200, HTML, html()));
        page("/robots.txt", new Page(200, TEXT, "User-agent: *\nAllow: /\nSitemap: " + origin + "/sitemap.xml\n"));
        page(
                "/sitemap.xml",
                new Page(
                        200,
                        "application/xml",
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                + "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>" + origin
                                + "/</loc></url></urlset>\n"));
        securityTxt(Instant.now().plus(180, ChronoUnit.DAYS));
        page("/favicon.ico", new Page(200, "image/x-icon", ""));
        policy = new Page(
                200, "text/plain", "version: STSv1\r\nmode: enforce\r\nmx: mail." + domain + "\r\nmax_age: 604800\r\n");
    }

    private String html() {
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Laboratory of %1$s</title>
            <meta name="description" content="The website of a domain without faults, on loopback addresses.">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <link rel="canonical" href="https://%1$s/"><link rel="icon" href="/favicon.ico"></head>
            <body><h1>Laboratory of %1$s</h1>%2$s</body></html>
            """
                .formatted(
                        domain, "<p>The page has more than a kibibyte, so that compression is useful.</p>".repeat(20));
    }

    /** Sets a response over HTTPS, for example of {@code /robots.txt}. */
    SiteSpec page(String path, Page page) {
        pages.put(path, page);
        return this;
    }

    /** Sets the status of a page. */
    public SiteSpec status(String path, int status) {
        pages.compute(path, (same, page) -> (page == null ? new Page(status, TEXT, "") : page).withStatus(status));
        return this;
    }

    public SiteSpec removePage(String path) {
        pages.remove(path);
        return this;
    }

    /** @param expires value of the field Expires */
    public SiteSpec securityTxt(Instant expires) {
        return page(
                "/.well-known/security.txt",
                new Page(
                        200,
                        TEXT,
                        "Contact: mailto:security@%1$s\nExpires: %2$s\nCanonical: https://%1$s/.well-known/security.txt\n"
                                .formatted(domain, expires.truncatedTo(ChronoUnit.SECONDS))));
    }

    /** Redirects the first page. */
    public SiteSpec redirect(String location) {
        return page("/", Page.redirect(location));
    }

    /** Redirects the first page to a path that redirects to another one, and so on. */
    public SiteSpec withEndlessRedirects() {
        endlessRedirects = true;
        return this;
    }

    /** Replaces a part of the first page. */
    public SiteSpec html(String text, String other) {
        Page page = pages.get("/");
        if (!page.body().contains(text)) {
            throw new IllegalArgumentException(text);
        }
        return page("/", new Page(page.status(), HTML, page.body().replace(text, other), page.headers()));
    }

    /** Sets a header of the first page; empty: removes it. */
    public SiteSpec header(String name, String value) {
        if (value.isEmpty()) {
            headers.remove(name);
        } else {
            headers.put(name, value);
        }
        return this;
    }

    /** Changes port 80. */
    public SiteSpec http(PortState state) {
        http = state;
        return this;
    }

    /** Changes port 443. */
    public SiteSpec https(PortState state) {
        https = state;
        return this;
    }

    /** Changes both ports of the IPv6 address. */
    public SiteSpec ipv6(PortState state) {
        ipv6 = state;
        return this;
    }

    /** Serves the pages also over HTTP. */
    public SiteSpec withoutRedirectToHttps() {
        redirectsToHttps = false;
        return this;
    }

    public SiteSpec withoutCompression() {
        compresses = false;
        return this;
    }

    public SiteSpec withCompression() {
        compresses = true;
        return this;
    }

    /** Does not respond with 304 to conditional requests. */
    public SiteSpec withoutRevalidation() {
        revalidates = false;
        return this;
    }

    public SiteSpec withoutHttp2() {
        http2 = false;
        return this;
    }

    /** Enables TLS 1.0 and TLS 1.1. */
    public SiteSpec withLegacyTls() {
        legacyTls = true;
        return this;
    }

    /** Enables TLS 1.2 only. With TLS 1.3, the JDK accepts ffdhe2048. */
    public SiteSpec withoutTls13() {
        tls13 = false;
        return this;
    }

    boolean tls13() {
        return tls13;
    }

    /**
     * Uses nginx with OpenSSL for HTTPS, because the JDK cannot change some properties of TLS. By default it has no
     * faults.
     *
     * @param changes directives of nginx that replace others, for example {@code ssl_early_data on;}
     */
    public SiteSpec nginx(String changes) {
        nginx = changes;
        return this;
    }

    /**
     * Connects the clients that offer compression, as a scan of TLS does and other clients do not, to this server. It
     * has properties of TLS that no current library has.
     */
    public SiteSpec scripted(ScriptedTlsServer server) {
        scripted = server;
        return this;
    }

    /**
     * Connects the clients without ALPN, which do not send requests, to {@code openssl s_server} with these options.
     */
    public SiteSpec openssl(String... options) {
        openssl = List.of(options);
        return this;
    }

    @Nullable
    ScriptedTlsServer scripted() {
        return scripted;
    }

    @Nullable
    List<String> openssl() {
        return openssl;
    }

    /** Null if nginx is not used. */
    @Nullable
    String nginx() {
        return nginx;
    }

    /** Allows each origin with credentials (CORS). */
    public SiteSpec reflectOrigin() {
        reflectsOrigin = true;
        return this;
    }

    public SiteSpec certificate(UnaryOperator<CertificateSpec> change) {
        certificate = change;
        return this;
    }

    /** Changes the certificate of the host of the MTA-STS policy. */
    public SiteSpec policyCertificate(UnaryOperator<CertificateSpec> change) {
        policyCertificate = change;
        return this;
    }

    public SiteSpec certificateHost(String host) {
        certificateHost = host;
        return this;
    }

    public SiteSpec selfSigned() {
        selfSigned = true;
        return this;
    }

    /** Uses a certificate of a CA that is not trusted. */
    public SiteSpec untrustedIssuer() {
        untrustedIssuer = true;
        return this;
    }

    public SiteSpec withoutIntermediate() {
        sendsIntermediate = false;
        return this;
    }

    /** Replaces a part of the MTA-STS policy. */
    public SiteSpec policy(String text, String other) {
        policy = new Page(policy.status(), policy.contentType(), policy.body().replace(text, other));
        return this;
    }

    public SiteSpec policyStatus(int status) {
        policy = policy.withStatus(status);
        return this;
    }

    @Nullable
    Page pageAt(String path) {
        return endlessRedirects && path.matches("/n*")
                ? Page.redirect(path + "n").withStatus(302)
                : pages.get(path);
    }

    Map<String, String> headers() {
        return Map.copyOf(headers);
    }

    PortState state(boolean tls, boolean overIpv6) {
        return overIpv6 && ipv6 != PortState.OPEN ? ipv6 : tls ? https : http;
    }

    boolean redirectsToHttps() {
        return redirectsToHttps;
    }

    boolean compresses() {
        return compresses;
    }

    boolean revalidates() {
        return revalidates;
    }

    boolean http2() {
        return http2;
    }

    boolean legacyTls() {
        return legacyTls;
    }

    boolean reflectsOrigin() {
        return reflectsOrigin;
    }

    Page policy() {
        return policy;
    }

    TestCa.Identity identity(DomainCas authorities) {
        CertificateSpec spec = certificate.apply(CertificateSpec.server(certificateHost, "www." + certificateHost));
        if (selfSigned) {
            return TestCa.selfSigned(spec);
        }
        if (untrustedIssuer) {
            TestCa.Identity untrusted = authorities.unknown().issue(spec);
            return untrusted.withChain(
                    untrusted.certificate(), authorities.unknown().certificate());
        }
        TestCa.Identity identity = authorities.issuer().issue(spec);
        return sendsIntermediate ? identity : identity.withChain(identity.certificate());
    }

    TestCa.Identity policyIdentity(DomainCas authorities) {
        return authorities.issuer().issue(policyCertificate.apply(CertificateSpec.server("mta-sts." + domain)));
    }
}
