package dev.plumbline.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The nginx of Debian with a configuration of the benchmark: the target of all fresh checks. */
final class NginxTarget implements AutoCloseable {
    private static final String CONF =
            """
      daemon off;
      worker_processes auto;
      pid %1$s/nginx.pid;
      error_log stderr error;
      events { worker_connections 8192; }
      http {
        access_log off;
        default_type text/html;
        ssl_protocols TLSv1.2 TLSv1.3;
        client_body_temp_path %1$s/body;
        proxy_temp_path %1$s/proxy;
        fastcgi_temp_path %1$s/fastcgi;
        uwsgi_temp_path %1$s/uwsgi;
        scgi_temp_path %1$s/scgi;
        server {
          listen 127.0.0.1:%2$d backlog=4096;
          # on all loopback addresses
          listen %3$d ssl backlog=4096;
          ssl_certificate %1$s/certificate.pem;
          ssl_certificate_key %1$s/key.pem;
          ssl_session_cache off;
          ssl_session_tickets off;
          location = /counts { stub_status; }
          location /moved/ { return 301 /arrived$uri; }
          location /rdap/ { root %1$s/site; default_type application/rdap+json; try_files $uri =404; }
          location /rdap/ip/ { root %1$s/site; default_type application/rdap+json; try_files /rdap/ip.json =404; }
          location / {
            return 200 "<!doctype html><title>bench</title><p>a small static page\\n";
          }
          location /socket/ {
            proxy_pass http://127.0.0.1:%5$d;
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
          }
        }
        server {
          listen 127.0.0.1:%8$d ssl backlog=4096;
          ssl_certificate %1$s/distinct/$ssl_server_name;
          ssl_certificate_key %1$s/key.pem;
          ssl_session_cache off;
          ssl_session_tickets off;
        }
        map $request_method $preflight { OPTIONS 1; default 0; }
        server {
          listen 127.0.0.1:%4$d ssl http2 backlog=4096;
          %6$s
          ssl_certificate %1$s/certificate.pem;
          ssl_certificate_key %1$s/key.pem;
          ssl_session_cache off;
          ssl_session_tickets off;
          root %1$s/site;
          charset utf-8;
          gzip on;
          gzip_vary on;
          add_header Strict-Transport-Security "max-age=31536000; includeSubDomains; preload";
          location / { try_files /page.html =404; }
          location = /robots.txt { default_type text/plain; return 200 "User-agent: *\\nDisallow: /private/\\n"; }
          location = /.well-known/security.txt { default_type text/plain; try_files /security.txt =404; }
          location = /logo.svg { default_type image/svg+xml; try_files /logo.svg =404; }
          location /sitemap/ { default_type text/xml; try_files /sitemap.xml =404; }
          location /cookies/ {
            add_header Set-Cookie "__Host-id=a; Path=/; Secure; HttpOnly; SameSite=Lax";
            add_header Set-Cookie "theme=dark; Path=/; Max-Age=86400; Secure; SameSite=Lax";
            try_files /page.html =404;
          }
          location /cors/ {
            add_header Access-Control-Allow-Origin $http_origin;
            add_header Access-Control-Allow-Methods "GET, PUT";
            add_header Vary Origin;
            if ($preflight) { return 204; }
            try_files /page.html =404;
          }
        }
        %7$s
      }
      """;

    /** The address of the websites on the default ports. No other program is expected there. */
    static final String DOMAIN_ADDRESS = "127.0.80.1";

    private static final String HTTPS_LISTEN = "listen " + DOMAIN_ADDRESS + ":443 ssl http2 backlog=4096;";
    private static final String DOMAIN_SERVERS =
            """
            server { listen %1$s:80 backlog=4096; return 301 https://$host$request_uri; }
            server {
              listen %1$s:443 ssl http2;
              server_name ~^mta-sts\\.;
              ssl_certificate %2$s/policy-hosts/$ssl_server_name;
              ssl_certificate_key %2$s/key.pem;
              ssl_session_cache off;
              ssl_session_tickets off;
              location = /.well-known/mta-sts.txt {
                default_type text/plain;
                return 200 "version: STSv1\\r\\nmode: enforce\\r\\nmax_age: 604800\\r\\nmx: *.%3$s\\r\\n";
              }
            }
            """;

    private static final String IPV6_LISTEN = "listen [::1]:443 ssl http2 backlog=4096;";

    /** The output of stub_status: accepted connections, handled connections, requests. */
    private static final Pattern COUNTS = Pattern.compile("(?m)^ (\\d+) \\d+ (\\d+) ?\r?$");

    private final ChildProcess child;
    private final int httpPort;
    private final int httpsPort;
    private final int sitePort;
    private final int distinctPort;
    private final int echoPort;
    private final boolean domains;
    private final boolean ipv6;
    private final TestCertificate certificates;

    private NginxTarget(
            ChildProcess child,
            int httpPort,
            int httpsPort,
            int sitePort,
            int distinctPort,
            int echoPort,
            boolean domains,
            boolean ipv6,
            TestCertificate certificates) {
        this.child = child;
        this.httpPort = httpPort;
        this.httpsPort = httpsPort;
        this.sitePort = sitePort;
        this.distinctPort = distinctPort;
        this.echoPort = echoPort;
        this.domains = domains;
        this.ipv6 = ipv6;
        this.certificates = certificates;
    }

    static NginxTarget start(Path parent) throws IOException, InterruptedException {
        String program = ProgramFinder.require("nginx", "nginx");
        Path folder = Files.createDirectory(parent.resolve("nginx"));
        TestCertificate certificates = new TestCertificate(folder);
        int http = ServiceUnderLoad.freePort();
        int https = ServiceUnderLoad.freePort();
        int site = ServiceUnderLoad.freePort();
        int echo = ServiceUnderLoad.freePort();
        int distinct = ServiceUnderLoad.freePort();
        boolean domains = isFree(DOMAIN_ADDRESS, 80) && isFree(DOMAIN_ADDRESS, 443);
        boolean ipv6 = domains && isFree("::1", 443);
        SiteFiles.write(Files.createDirectory(folder.resolve("site")));
        Path conf = folder.resolve("nginx.conf");
        Files.writeString(
                conf,
                CONF.formatted(
                        folder,
                        http,
                        https,
                        site,
                        echo,
                        (domains ? HTTPS_LISTEN : "") + (ipv6 ? IPV6_LISTEN : ""),
                        domains ? DOMAIN_SERVERS.formatted(DOMAIN_ADDRESS, folder, TargetNames.DOMAINS) : "",
                        distinct));
        ChildProcess child = ChildProcess.start(
                "nginx",
                folder,
                List.of(program, "-p", folder.toString(), "-c", conf.toString(), "-e", "stderr"),
                Map.of());
        try {
            child.awaitPort(http, 10);
            child.awaitPort(https, 10);
            child.awaitPort(site, 10);
        } catch (IOException | InterruptedException failed) {
            child.close();
            throw failed;
        }
        return new NginxTarget(child, http, https, site, distinct, echo, domains, ipv6, certificates);
    }

    int httpsPort() {
        return httpsPort;
    }

    /** The port with a certificate of its own for each name of {@link TargetNames#distinct}. */
    int distinctPort() {
        return distinctPort;
    }

    /** The URL of the site without a path. */
    String site(boolean tls) {
        return tls ? "https://127.0.0.1:" + httpsPort : "http://127.0.0.1:" + httpPort;
    }

    /** The URL of a site with HTTP/2, compression and the pages of {@link SiteFiles}, without a path. */
    String pages() {
        return "https://127.0.0.1:" + sitePort;
    }

    /** The URL of the WebSocket echo server behind nginx, without a path. */
    String sockets() {
        return "wss://127.0.0.1:" + httpsPort;
    }

    /** The port to which nginx sends WebSocket connections. */
    int echoPort() {
        return echoPort;
    }

    /** Requires the site on the default ports of {@link #DOMAIN_ADDRESS}. */
    void requireDomains() {
        if (!domains) {
            throw new MissingProgramException("the ports 80 and 443 of " + DOMAIN_ADDRESS + " (as root)");
        }
    }

    /** Requires the site on port 443 of the IPv6 loopback address. */
    void requireIpv6() {
        if (!ipv6) {
            throw new MissingProgramException("port 443 of ::1 (as root)");
        }
    }

    /** The certificate of the sites in PEM. */
    Path leaf() {
        return certificates.root().resolveSibling("certificate.pem");
    }

    /** Whether this process can listen on the port. */
    static boolean isFree(String address, int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(address))) {
            return socket.isBound();
        } catch (IOException used) {
            return false;
        }
    }

    /**
     * The counters since the start.
     *
     * @param connections accepted connections
     * @param requests received requests
     */
    record Counts(long connections, long requests) {
        Counts since(Counts earlier) {
            return new Counts(connections - earlier.connections, requests - earlier.requests);
        }
    }

    /** Reads the counters over a new connection, which is included. */
    Counts counts() throws IOException {
        String output;
        try (Socket socket = new Socket("127.0.0.1", httpPort)) {
            socket.getOutputStream()
                    .write("GET /counts HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            output = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
        Matcher counts = COUNTS.matcher(output);
        if (!counts.find()) {
            throw new IOException("unexpected stub_status response of nginx: " + output);
        }
        return new Counts(Long.parseLong(counts.group(1)), Long.parseLong(counts.group(2)));
    }

    TestCertificate certificates() {
        return certificates;
    }

    /** The root certificate in PEM. */
    Path certificate() {
        return certificates.root();
    }

    @Override
    public void close() {
        child.close();
    }
}
