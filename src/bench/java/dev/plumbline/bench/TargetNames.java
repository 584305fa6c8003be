package dev.plumbline.bench;

import dev.plumbline.support.BindZoneSigner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The bind9 of Debian as resolver and as nameserver of the zones in {@link ZoneFiles}. */
final class TargetNames implements AutoCloseable {
    /** A zone in which every name resolves to this machine. */
    static final String ZONE = "bench.test";

    /** The zone of the names of websites on the default ports. */
    static final String SITES = "sites." + ZONE;

    /**
     * A zone with {@link #DOMAIN_COUNT} domains with mail and a website: m0, m1, …; and websites with IPv6: v6-0, ….
     */
    static final String DOMAINS = "domains.test";

    /** The zone of signed names, delegated from a private root. Every name resolves to this machine. */
    static final String SIGNED = "signed.test";

    /** A zone in which every name has 100 TXT records of 245 characters. */
    static final String LARGE = "large.test";

    /** A DNS blocklist. */
    static final String BLOCKLIST = "blocklist.test";

    static final int DOMAIN_COUNT = 4_096;

    /** The number of addresses from 127.100.0.0 with a name. */
    static final int ADDRESS_COUNT = 16_384;

    private static final String ADDRESS = "127.0.0.1";
    private static final int DNS_PORT = 53;

    private static final String CONF =
            """
            options {
              directory "%1$s";
              pid-file none;
              session-keyfile none;
              managed-keys-directory "%1$s";
              listen-on port %2$d { 127.0.0.1; };
              %3$s
              listen-on-v6 { none; };
              recursion no;
              allow-transfer { none; };
              empty-zones-enable no;
              check-names primary ignore;
              tcp-clients 2000;
            };
            controls { };
            """;

    private final ChildProcess named;
    private final int port;
    private final boolean servers;
    private final BindZoneSigner signer;

    private TargetNames(ChildProcess named, int port, boolean servers, BindZoneSigner signer) {
        this.named = named;
        this.port = port;
        this.servers = servers;
        this.signer = signer;
    }

    /** The name of a website with a certificate of its own. */
    static String distinct(TestCertificate.Signer signer, int number) {
        return signer.name().toLowerCase(Locale.ROOT) + "-" + number + "." + ZONE;
    }

    /** @param leaf the certificate of the websites, in PEM */
    static TargetNames start(Path parent, Path leaf) throws IOException, InterruptedException {
        String program = ProgramFinder.require("named", "bind9");
        ProgramFinder.require("dnssec-signzone", "bind9-utils");
        Path folder = Files.createDirectory(parent.resolve("names"));
        ZoneFiles zones = new ZoneFiles(folder, leaf);
        int port = ServiceUnderLoad.freePort();
        boolean servers = NginxTarget.isFree(ADDRESS, DNS_PORT);
        StringBuilder conf =
                new StringBuilder(CONF.formatted(folder, port, servers ? "listen-on port 53 { 127.0.0.1; };" : ""));
        for (Map.Entry<String, String> zone : zones.files().entrySet()) {
            conf.append("zone \"%s\" { type primary; file \"%s\"; };\n".formatted(zone.getKey(), zone.getValue()));
        }
        Path file = Files.writeString(folder.resolve("named.conf"), conf);
        ChildProcess named =
                ChildProcess.start("named", folder, List.of(program, "-g", "-n", "1", "-c", file.toString()), Map.of());
        try {
            named.awaitError("running", 30);
        } catch (IOException | InterruptedException failed) {
            named.close();
            throw failed;
        }
        return new TargetNames(named, port, servers, zones.signer());
    }

    /** The address in the format of {@code dns.servers}. */
    String address() {
        return ADDRESS + ":" + port;
    }

    int port() {
        return port;
    }

    /** Requires the default port, for direct queries to nameservers. */
    void requireServers() {
        if (!servers) {
            throw new MissingProgramException("port 53 of " + ADDRESS + " (as root)");
        }
    }

    /** Four resolvers in the format of {@code dns.propagation}. */
    String resolvers() {
        return "a=%1$s,b=%1$s,c=%1$s,d=%1$s".formatted(address());
    }

    /** The DS record of the private root. */
    String trustAnchor() throws IOException {
        return signer.trustAnchor();
    }

    /** The trust anchor in the format of delv. */
    Path anchors() throws IOException {
        return signer.writeAnchors();
    }

    @Override
    public void close() {
        named.close();
    }
}
