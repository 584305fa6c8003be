package dev.plumbline.module.web;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.support.Await;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Virtual hosts of Debian's nginx over HTTP and HTTPS, for modules that check a domain. */
final class DomainSites implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx();
    private final HttpFixture fixture = HttpFixture.start();
    private final HttpProbe probe = fixture.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    private final NginxServer nginx;

    /**
     * @param plain directives of the HTTP server by hostname
     * @param secure directives of the HTTPS server by hostname; its certificate is valid unless the name starts with
     *     {@code invalid}
     */
    DomainSites(Path folder, Map<String, String> plain, Map<String, String> secure) throws IOException {
        StringBuilder servers = new StringBuilder("return 421; }\n");
        plain.forEach((name, directives) ->
                servers.append(server("PLAIN", name, directives)).append("}\n"));
        secure.forEach((name, directives) -> servers.append(server(
                        "TLS ssl",
                        name,
                        "ssl_certificate FOLDER/chain.pem; ssl_certificate_key FOLDER/key.pem; " + directives))
                .append("}\n"));
        servers.append(server("PLAIN", "unused.test", ""));
        plain.keySet().forEach(name -> fixture.dns().removeRecords(name).address(name, "127.0.0.1"));
        secure.keySet().forEach(name -> fixture.dns().removeRecords(name).address(name, "127.0.0.1"));
        String[] certified = secure.keySet().stream()
                .filter(name -> !name.startsWith("invalid"))
                .toArray(String[]::new);
        nginx = NginxServer.start(folder, fixture.identity(certified), servers.toString());
    }

    private static String server(String listen, String name, String directives) {
        return "server { listen 127.0.0.1:%s; server_name %s; %s\n".formatted(listen, name, directives);
    }

    WebPorts ports() {
        return new WebPorts(
                fixture.url(nginx.http("/")).port(),
                fixture.url(nginx.https("/")).port());
    }

    int closedPort() {
        return fixture.closedPort();
    }

    DnsLab dns() {
        return fixture.dns();
    }

    <E> CheckResult check(ModuleDefinition<E> module, String domain) {
        return check(vertx, probe, module, domain);
    }

    /** Checks a domain with the default options. */
    static <E> CheckResult check(Vertx vertx, HttpProbe probe, ModuleDefinition<E> module, String domain) {
        try {
            TestCheckContext context =
                    TestCheckContext.of(module.description(), Map.of()).withProbe(HttpProbe.class, probe);
            return ModuleExecution.run(vertx, module, TargetParser.domainName(domain), context);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(domain, invalid);
        }
    }

    @Override
    public void close() {
        nginx.close();
        fixture.close();
        Await.value(vertx.close());
    }
}
