package dev.plumbline.bench;

import dev.plumbline.support.NamedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The bind9 of Debian with one zone in which every name resolves to this machine. */
final class TargetNames implements AutoCloseable {
    static final String ZONE = "bench.test";

    /** The zone of the names of websites on the default ports. */
    static final String SITES = "sites." + ZONE;

    private final NamedServer named;

    private TargetNames(NamedServer named) {
        this.named = named;
    }

    static TargetNames start(Path parent) throws IOException {
        ProgramFinder.require("named", "bind9");
        Path folder = Files.createDirectory(parent.resolve("names"));
        return new TargetNames(NamedServer.start(
                folder,
                Map.of(
                        ZONE,
                        "* IN A 127.0.0.1\n* IN MX 10 mail\n* IN TXT \"v=spf1 -all\"\n*.sites IN A "
                                + NginxTarget.DOMAIN_ADDRESS + "\n")));
    }

    /** The address in the format of {@code dns.servers}. */
    String address() {
        return named.address();
    }

    int port() {
        return named.port();
    }

    @Override
    public void close() throws InterruptedException {
        named.close();
    }
}
