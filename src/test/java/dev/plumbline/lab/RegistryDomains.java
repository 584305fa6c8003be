package dev.plumbline.lab;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** Domains below a top-level domain whose WHOIS server is the lab. */
final class RegistryDomains {
    private static final String TLD = "lab-registry";

    /** The WHOIS server of IANA and of the registry: referrals are followed to one port only. */
    private final WhoisLab registry;

    RegistryDomains(Vertx vertx, LabPorts ports) {
        registry = WhoisLab.start(vertx, "127.0.0.1", ports.next());
        registry.respond(TLD, "domain: %s\nwhois: 127.0.0.1:%d\n".formatted(TLD, registry.port()));
        registry.respond(name("good"), record("2000-01-01", "2099-01-01", "client transfer prohibited"))
                .respond(name("expired"), record("2000-01-01", "2001-01-01", "autoRenewPeriod"))
                .respond(
                        name("referral-loop"),
                        "Domain Name: %s\nRegistrar: Lab\nWhois Server: 127.0.0.1:%d\n"
                                .formatted(name("referral-loop"), registry.port()))
                .respond(name("rate-limited"), "WHOIS LIMIT EXCEEDED\n")
                .respond(name("empty"), "")
                .endless(name("endless"), () -> Buffer.buffer("Registrar: Lab\r\n".repeat(1_000)))
                .dripping(name("slow"));
    }

    private static String name(String label) {
        return label + "." + TLD;
    }

    private static String record(String created, String expires, String status) {
        return """
        Registrar: Lab Registrar
        Creation Date: %s
        Registry Expiry Date: %s
        Domain Status: %s
        Name Server: ns1.lab.test
        Name Server: ns2.lab.test
        DNSSEC: signedDelegation
        """
                .formatted(created, expires, status);
    }

    List<LabTarget> targets() {
        return List.of(
                target("www.good", "registered=true"),
                target("expired", "registered=true; expired"),
                target("unregistered", "registered=false"),
                target("referral-loop", "registered=true; queried once"),
                target("rate-limited", "rate_limited"),
                target("empty", "registry_unavailable"),
                target("endless", "registry_unavailable"),
                target("slow", "registry_unavailable"));
    }

    private static LabTarget target(String label, String expectation) {
        return new LabTarget("domain-registration", name(label), expectation);
    }

    /** The first server, in the format of the setting {@code whois.server}. */
    String whoisServer() {
        return "127.0.0.1:" + registry.port();
    }

    List<Integer> ports() {
        return List.of(registry.port());
    }
}
