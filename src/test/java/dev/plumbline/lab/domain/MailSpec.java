package dev.plumbline.lab.domain;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsaText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The mail server of a domain of the lab. Each method changes this object. */
public final class MailSpec {
    private final String host;
    private final List<String> extensions = new ArrayList<>(List.of("SIZE 52428800", "STARTTLS"));
    private PortState state = PortState.OPEN;
    private PortState ipv6 = PortState.OPEN;
    private String greeting;
    private UnaryOperator<CertificateSpec> certificate = UnaryOperator.identity();
    private boolean selfSigned;
    private String certificateHost;
    private boolean tlsaOfOtherKey;
    private boolean tlsa = true;
    private boolean legacyTls;
    private boolean tls13 = true;

    MailSpec(String domain) {
        host = "mail." + domain;
        certificateHost = host;
        greeting = "220 " + host + " ESMTP";
    }

    /** Changes port 25. */
    public MailSpec port(PortState changed) {
        state = changed;
        return this;
    }

    /** Changes port 25 of the IPv6 address. */
    public MailSpec ipv6(PortState changed) {
        ipv6 = changed;
        return this;
    }

    public MailSpec greeting(String line) {
        greeting = line;
        return this;
    }

    /** Adds an EHLO extension. */
    public MailSpec extension(String line) {
        extensions.add(0, line);
        return this;
    }

    public MailSpec withoutStartTls() {
        extensions.remove("STARTTLS");
        return this;
    }

    public MailSpec certificate(UnaryOperator<CertificateSpec> change) {
        certificate = change;
        return this;
    }

    public MailSpec certificateHost(String name) {
        certificateHost = name;
        return this;
    }

    public MailSpec selfSigned() {
        selfSigned = true;
        return this;
    }

    /** Publishes a TLSA record for another key. */
    public MailSpec tlsaOfOtherKey() {
        tlsaOfOtherKey = true;
        return this;
    }

    public MailSpec withoutTlsa() {
        tlsa = false;
        return this;
    }

    /** Enables TLS 1.0 and weak cipher suites. */
    public MailSpec withLegacyTls() {
        legacyTls = true;
        return this;
    }

    /** Enables or disables TLS 1.3. With it, the JDK accepts ffdhe2048. */
    public MailSpec tls13(boolean enabled) {
        tls13 = enabled;
        return this;
    }

    boolean legacyTls() {
        return legacyTls;
    }

    boolean tls13() {
        return tls13;
    }

    String host() {
        return host;
    }

    PortState state(boolean overIpv6) {
        return overIpv6 && ipv6 != PortState.OPEN ? ipv6 : state;
    }

    String greeting() {
        return greeting;
    }

    List<String> extensions() {
        return List.copyOf(extensions);
    }

    TestCa.Identity identity(DomainCas authorities) {
        CertificateSpec spec = certificate.apply(CertificateSpec.server(certificateHost));
        return selfSigned ? TestCa.selfSigned(spec) : authorities.issuer().issue(spec);
    }

    /** The TLSA record for the zone. */
    List<String> tlsaRecords(TestCa.Identity identity) {
        String key = tlsaOfOtherKey ? "00".repeat(32) : TlsaText.spki(identity.certificate());
        return tlsa ? List.of("_25._tcp.mail TLSA 3 1 1 " + key) : List.of();
    }
}
