package dev.plumbline.lab;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** Domains of a top-level domain that the lab is the registry of, by WHOIS. */
final class RegistryDomains {
    private static final String TLD = "lab-registry";

    /** IANA and the registry in one, as referrals lead to one port alone. */
    private final WhoisLab registry;

    RegistryDomains(Vertx vertx) {
        registry = WhoisLab.start(vertx);
        registry.answer(TLD, "domain: %s\nwhois: 127.0.0.1:%d\n".formatted(TLD, registry.port()));
        registry.answer(name("good"), answer("2000-01-01", "2099-01-01", "client transfer prohibited"))
                .answer(name("expired"), answer("2000-01-01", "2001-01-01", "autoRenewPeriod"))
                .answer(name("circle"), "Registrar: Lab\nWhois Server: 127.0.0.1:%d\n".formatted(registry.port()))
                .answer(name("turned-away"), "WHOIS LIMIT EXCEEDED\n")
                .answer(name("empty"), "")
                .endless(name("endless"), () -> Buffer.buffer("Registrar: Lab\r\n".repeat(1_000)))
                .dripping(name("slow"));
    }

    private static String name(String label) {
        return label + "." + TLD;
    }

    private static String answer(String created, String expires, String status) {
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
                offer("www.good", "registered=true"),
                offer("expired", "registered=true, and expired long ago"),
                offer("nobody", "registered=false"),
                offer("circle", "registered=true, and asked once"),
                offer("turned-away", "rate_limited"),
                offer("empty", "connection_reset"),
                offer("endless", "response_too_large"),
                offer("slow", "read_timeout"));
    }

    private static LabTarget offer(String label, String expectation) {
        return new LabTarget("domain-registration", name(label), expectation);
    }

    /** Who is asked first, as the setting {@code whois.server} names it. */
    String server() {
        return "127.0.0.1:" + registry.port();
    }

    List<Integer> ports() {
        return List.of(registry.port());
    }
}
