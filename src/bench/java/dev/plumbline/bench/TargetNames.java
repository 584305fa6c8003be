package dev.plumbline.bench;

import dev.plumbline.support.BindZoneSigner;
import dev.plumbline.support.NamedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The bind9 of Debian with zones in which every name resolves to this machine; one of them is signed. */
final class TargetNames implements AutoCloseable {
    static final String ZONE = "bench.test";

    /** The zone of the names of websites on the default ports. */
    static final String SITES = "sites." + ZONE;

    /** The zone of signed names, delegated from a private root. */
    static final String SIGNED = "signed.test";

    private final NamedServer named;
    private final BindZoneSigner signer;

    private TargetNames(NamedServer named, BindZoneSigner signer) {
        this.named = named;
        this.signer = signer;
    }

    static TargetNames start(Path parent) throws IOException, InterruptedException {
        ProgramFinder.require("named", "bind9");
        ProgramFinder.require("dnssec-signzone", "bind9-utils");
        Path folder = Files.createDirectory(parent.resolve("names"));
        BindZoneSigner signer = new BindZoneSigner(folder);
        String algorithm = "ECDSAP256SHA256";
        signer.sign(SIGNED, algorithm, "* IN A 127.0.0.1", "", UnaryOperator.identity());
        signer.sign("", algorithm, signer.delegation(SIGNED), "", UnaryOperator.identity());
        Map<String, String> files = new HashMap<>(signer.files());
        files.put(ZONE, "bench.zone");
        Files.writeString(
                folder.resolve("bench.zone"),
                """
                $TTL 300
                @ IN SOA ns1 hostmaster 7 3600 600 604800 60
                @ IN NS ns1
                @ IN NS ns2
                ns1 IN A 127.0.0.1
                ns2 IN A 127.0.0.1
                * IN A 127.0.0.1
                * IN MX 10 mail
                * IN TXT "v=spf1 -all"
                *.sites IN A %s
                """
                        .formatted(NginxTarget.DOMAIN_ADDRESS));
        return new TargetNames(NamedServer.serve(folder, files), signer);
    }

    /** The DS record of the private root. */
    String trustAnchor() throws IOException {
        return signer.trustAnchor();
    }

    /** The trust anchor in the format of delv. */
    Path anchors() throws IOException {
        return signer.writeAnchors();
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
