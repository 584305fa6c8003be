package dev.plumbline.module.mail;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.TestCa;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.support.NginxServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Virtual hosts of Debian's nginx over HTTPS and a DNS server, for modules that retrieve a policy or a logo. */
public final class PolicySites implements AutoCloseable {
    private final HttpFixture fixture = HttpFixture.start();
    private final HttpProbe probe = fixture.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    private final NginxServer nginx;

    /** @param hosts directives by hostname; the certificate is valid unless the name contains {@code invalid} */
    public PolicySites(Path folder, Map<String, String> hosts) throws IOException {
        StringBuilder servers = new StringBuilder("return 421; }\n");
        hosts.forEach((name, directives) -> {
            servers.append("server { listen 127.0.0.1:TLS ssl; server_name %s; ssl_certificate FOLDER/chain.pem; "
                            .formatted(name))
                    .append("ssl_certificate_key FOLDER/key.pem; ")
                    .append(directives)
                    .append("}\n");
            fixture.dns().address(name, "127.0.0.1");
        });
        servers.append("server { listen 127.0.0.1:PLAIN; server_name unused.test;\n");
        TestCa.Identity identity = fixture.identity(hosts.keySet().stream()
                .filter(name -> !name.contains("invalid"))
                .toArray(String[]::new));
        nginx = NginxServer.start(folder, identity, servers.toString());
    }

    public int port() {
        return URI.create(nginx.https("/")).getPort();
    }

    public DnsLab dns() {
        return fixture.dns();
    }

    TestCa.Identity identity(String... names) {
        return fixture.identity(names);
    }

    public CheckResult check(ModuleDefinition<?> module, String domain, String query) {
        return fixture.checkDomain(module, probe, domain, query);
    }

    @Override
    public void close() {
        nginx.close();
        fixture.close();
    }
}
