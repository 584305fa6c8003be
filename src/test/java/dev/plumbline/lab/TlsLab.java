package dev.plumbline.lab;

import dev.plumbline.lab.RevocationLab.Status;
import dev.plumbline.lab.TestCa.Identity;
import dev.plumbline.lab.TlsServers.Manner;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;

/**
 * TLS servers on 127.0.0.1 that show every certificate fault there is, one a port. Each is meant
 * for a host name of its own below {@link #DOMAIN}; the lab's DNS leads all of these to loopback.
 * {@link #rootPem()} is what to trust.
 */
public final class TlsLab implements AutoCloseable {
  /** All host names of the lab end in this. */
  public static final String DOMAIN = "tls.lab.test";

  /**
   * One server.
   *
   * @param name what it is called, unique in the lab
   * @param host the host name that it is meant for
   * @param problem the {@code problem} that must be named; empty where the handshake fails
   * @param error the error code that must be given; empty where the handshake succeeds
   * @param options options of the check, as in a query; empty for none
   */
  public record Server(
      String name, String host, int port, String problem, String error, String options) {
    /** The options by name. */
    public Map<String, String> optionMap() {
      Map<String, String> map = new LinkedHashMap<>();
      for (String pair : options.isEmpty() ? new String[0] : options.split("&")) {
        map.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
      }
      return map;
    }

    private LabTarget target() {
      return new LabTarget(
          "ssl-certificate",
          host + ":" + port + (options.isEmpty() ? "" : "?" + options),
          error.isEmpty() ? "problem=" + problem : "error=" + error);
    }
  }

  private final TlsServers servers = new TlsServers();
  private final RevocationLab revocation = new RevocationLab();
  private final Map<String, Server> byName = new LinkedHashMap<>();
  private final Map<String, Identity> identities = new LinkedHashMap<>();
  private final TestCa root = TestCa.root("Lab Root");
  private final TestCa issuer = root.authority("Lab Issuer");
  private final Instant now = Instant.now();

  public TlsLab() {
    dates();
    names();
    chains();
    rules();
    algorithms();
    revocations();
    manners();
    hostile();
  }

  /** The root to trust, in PEM. */
  public String rootPem() {
    return TestCa.pem(root.certificate());
  }

  public TestCa root() {
    return root;
  }

  public TestCa issuer() {
    return issuer;
  }

  public Server server(String name) {
    Server server = byName.get(name);
    if (server == null) {
      throw new IllegalArgumentException(name);
    }
    return server;
  }

  /** What a server shows. */
  public Identity identity(String name) {
    return identities.get(name);
  }

  public List<Server> servers() {
    return List.copyOf(byName.values());
  }

  /** Everything that can be checked here, for the lab's own list. */
  public List<LabTarget> targets() {
    return byName.values().stream().map(Server::target).toList();
  }

  /** Where OCSP responses and revocation lists come from. */
  public RevocationLab revocation() {
    return revocation;
  }

  private static String host(String name) {
    return name + "." + DOMAIN;
  }

  private static CertificateSpec spec(String name) {
    return CertificateSpec.server(host(name));
  }

  private void shows(String name, String problem, Identity identity) {
    shows(name, problem, identity, Manner.PLAIN);
  }

  private void shows(String name, String problem, Identity identity, Manner manner) {
    identities.put(name, identity);
    add(name, host(name), servers.serve(identity, manner), problem, "", "");
  }

  private void fails(String name, String error, int port) {
    add(name, host(name), port, "", error, "timeout_ms=3000");
  }

  private void add(
      String name, String host, int port, String problem, String error, String options) {
    byName.put(name, new Server(name, host, port, problem, error, options));
  }

  private void dates() {
    Duration day = Duration.ofDays(1);
    shows("valid", "none", issuer.issue(spec("valid")));
    shows(
        "expired",
        "expired",
        issuer.issue(
            spec("expired")
                .from(now.minus(day.multipliedBy(40)))
                .until(now.minus(day.multipliedBy(10)))));
    shows(
        "expiring-soon",
        "none",
        issuer.issue(spec("expiring-soon").until(now.plus(day.multipliedBy(5)).plusSeconds(600))));
    shows(
        "not-yet-valid",
        "not_yet_valid",
        issuer.issue(
            spec("not-yet-valid")
                .from(now.plus(day.multipliedBy(3)))
                .until(now.plus(day.multipliedBy(93)))));
    TestCa old =
        root.authority(
            CertificateSpec.authority("Lab Expired Issuer")
                .from(now.minus(day.multipliedBy(400)))
                .until(now.minus(day)));
    shows("expired-intermediate", "expired", old.issue(spec("expired-intermediate")));
  }

  private void names() {
    shows(
        "wrong-name",
        "hostname_mismatch",
        issuer.issue(CertificateSpec.server("somewhere-else." + DOMAIN)));
    shows(
        "cn-only",
        "hostname_mismatch",
        issuer.issue(CertificateSpec.commonNameOnly(host("cn-only"))));
    shows("wildcard", "none", issuer.issue(CertificateSpec.server("*." + DOMAIN)));
    shows("too.deep", "hostname_mismatch", issuer.issue(CertificateSpec.server("*." + DOMAIN)));
    Identity byAddress = issuer.issue(spec("address").address("127.0.0.1"));
    identities.put("address", byAddress);
    add("address", "127.0.0.1", servers.serve(byAddress, Manner.PLAIN), "none", "", "");
    Identity one = issuer.issue(spec("one"));
    int port =
        servers.serveByName(
            issuer.issue(spec("default")),
            Map.of(
                host("one"),
                one,
                host("two"),
                issuer.issue(spec("two").until(now.minusSeconds(3600)))));
    add("one", host("one"), port, "none", "", "");
    add("two", host("two"), port, "expired", "", "");
    add("three", host("three"), port, "hostname_mismatch", "", "");
    add("three-as-one", host("three"), port, "none", "", "sni=" + host("one"));
  }

  private void chains() {
    shows("self-signed", "self_signed", TestCa.selfSigned(spec("self-signed")));
    Identity lone = issuer.issue(spec("missing-intermediate"));
    shows("missing-intermediate", "incomplete_chain", lone.showing(lone.certificate()));
    TestCa stranger = TestCa.root("Unknown Root");
    Identity strange = stranger.issue(spec("unknown-root"));
    shows(
        "unknown-root",
        "untrusted_root",
        strange.showing(strange.certificate(), stranger.certificate()));
    Identity valid = issuer.issue(spec("wrong-order"));
    shows(
        "wrong-order",
        "none",
        valid.showing(valid.certificate(), root.certificate(), issuer.certificate()));
    Identity extra = issuer.issue(spec("extra-certificates"));
    shows(
        "extra-certificates",
        "none",
        extra.showing(extra.certificate(), issuer.certificate(), stranger.certificate()));
    Identity twice = issuer.issue(spec("duplicate"));
    shows(
        "duplicate",
        "none",
        twice.showing(
            twice.certificate(), twice.certificate(), issuer.certificate(), issuer.certificate()));
    TestCa crossed = TestCa.root("Lab Newer Root");
    X509Certificate bridge = root.crossSign(crossed, CertificateSpec.authority("Lab Newer Root"));
    Identity under = crossed.issue(spec("cross-signed"));
    shows(
        "cross-signed", "none", under.showing(under.certificate(), crossed.certificate(), bridge));
    Identity many = issuer.issue(spec("hundred"));
    List<X509Certificate> hundred = new ArrayList<>(many.chain());
    while (hundred.size() < 100) {
      hundred.add(TestCa.root("Unknown Root " + hundred.size()).certificate());
    }
    shows("hundred", "none", many.showing(hundred.toArray(new X509Certificate[0])));
    List<X509Certificate> alike = new ArrayList<>();
    Identity maze = TestCa.root("Same Name").issue(spec("same-names"));
    alike.add(maze.certificate());
    while (alike.size() < 32) {
      alike.add(TestCa.root("Same Name").certificate());
    }
    shows("same-names", "incomplete_chain", maze.showing(alike.toArray(new X509Certificate[0])));
  }

  private void rules() {
    TestCa noAuthority =
        root.authority(CertificateSpec.authority("Lab No Authority").withoutBasicConstraints());
    shows(
        "no-basic-constraints", "untrusted_root", noAuthority.issue(spec("no-basic-constraints")));
    TestCa noSigner =
        root.authority(
            CertificateSpec.authority("Lab No Signer").keyUsage(KeyUsage.digitalSignature));
    shows("no-cert-sign", "untrusted_root", noSigner.issue(spec("no-cert-sign")));
    TestCa shortOne = root.authority(CertificateSpec.authority("Lab Short Path").pathLength(0));
    shows(
        "path-too-long",
        "untrusted_root",
        shortOne.authority("Lab Below Short Path").issue(spec("path-too-long")));
    TestCa elsewhere =
        root.authority(CertificateSpec.authority("Lab Constrained").permitting("elsewhere.test"));
    shows("name-constraints", "untrusted_root", elsewhere.issue(spec("name-constraints")));
    TestCa here = root.authority(CertificateSpec.authority("Lab Permitted").permitting(DOMAIN));
    shows("name-constraints-kept", "none", here.issue(spec("name-constraints-kept")));
    shows(
        "client-purpose",
        "untrusted_root",
        issuer.issue(spec("client-purpose").purpose(KeyPurposeId.id_kp_clientAuth)));
  }

  private void algorithms() {
    TestCa rsa = root.authority(CertificateSpec.authority("Lab RSA Issuer").key("RSA-2048"));
    shows("rsa-2048", "none", rsa.issue(spec("rsa-2048").key("RSA-2048")));
    shows("rsa-1024", "weak_key", rsa.issue(spec("rsa-1024").key("RSA-1024")));
    shows("sha1", "weak_signature", rsa.issue(spec("sha1").digest("SHA1")));
    shows("md5", "weak_signature", rsa.issue(spec("md5").digest("MD5")));
    shows("p-384", "none", issuer.issue(spec("p-384").key("P-384")));
    shows("ed25519", "none", issuer.issue(spec("ed25519").key("Ed25519")), Manner.PLAIN.ofTheJdk());
    shows("timestamps", "none", issuer.issue(spec("timestamps").timestamps(3)));
  }

  private void revocations() {
    shows("must-staple", "none", issuer.issue(spec("must-staple").mustStaple()));
    Identity good = issuer.issue(spec("stapled-good").mustStaple());
    shows(
        "stapled-good",
        "none",
        good,
        Manner.PLAIN.stapling(
            () ->
                RevocationLab.ocsp(
                    issuer,
                    issuer,
                    good.certificate(),
                    Status.GOOD,
                    Instant.now().minusSeconds(60),
                    2)));
    Identity bad = issuer.issue(spec("stapled-revoked"));
    shows(
        "stapled-revoked",
        "revoked",
        bad,
        Manner.PLAIN.stapling(() -> RevocationLab.ocsp(issuer, bad.certificate(), Status.REVOKED)));
    answered("ocsp-good", Status.GOOD, "none");
    answered("ocsp-revoked", Status.REVOKED, "revoked");
    answered("ocsp-unknown", Status.UNKNOWN, "none");
    listed("crl-good", false, "none");
    listed("crl-revoked", true, "revoked");
  }

  private void answered(String name, Status status, String problem) {
    Identity identity = issuer.issue(spec(name).ocsp(revocation.url("/" + name)));
    revocation.put("/" + name, () -> RevocationLab.ocsp(issuer, identity.certificate(), status));
    identities.put(name, identity);
    add(
        name,
        host(name),
        servers.serve(identity, Manner.PLAIN),
        problem,
        "",
        "check_revocation=true");
  }

  private void listed(String name, boolean revoked, String problem) {
    Identity identity = issuer.issue(spec(name).crl(revocation.url("/" + name)));
    revocation.put(
        "/" + name,
        () ->
            revoked
                ? RevocationLab.list(issuer, identity.certificate().getSerialNumber())
                : RevocationLab.list(issuer));
    identities.put(name, identity);
    add(
        name,
        host(name),
        servers.serve(identity, Manner.PLAIN),
        problem,
        "",
        "check_revocation=true");
  }

  private void manners() {
    TestCa rsa = root.authority(CertificateSpec.authority("Lab RSA Issuer 2").key("RSA-2048"));
    shows(
        "tls-1.0",
        "none",
        rsa.issue(spec("tls-1.0").key("RSA-2048")),
        Manner.PLAIN.protocols("TLSv1"));
    shows("tls-1.2", "none", issuer.issue(spec("tls-1.2")), Manner.PLAIN.protocols("TLSv1.2"));
    shows("tls-1.3", "none", issuer.issue(spec("tls-1.3")), Manner.PLAIN.protocols("TLSv1.3"));
    shows(
        "client-certificate",
        "none",
        issuer.issue(spec("client-certificate")),
        Manner.PLAIN.protocols("TLSv1.3").askingForCertificates());
    Identity strict = issuer.issue(spec("client-certificate-1.2"));
    identities.put("client-certificate-1.2", strict);
    fails(
        "client-certificate-1.2",
        "tls_handshake_failed",
        servers.serve(strict, Manner.PLAIN.protocols("TLSv1.2").askingForCertificates()));
  }

  private void hostile() {
    byte[] page = ascii("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    fails("plain-http", "tls_handshake_failed", servers.answer(page));
    fails("garbage", "tls_handshake_failed", servers.answer(ascii("\u0001\u0002garbage, no TLS")));
    fails("smtp", "tls_handshake_failed", servers.greet(ascii("220 lab.test ESMTP\r\n")));
    fails("silent", "read_timeout", servers.silent());
    fails("resetting", "connection_reset", servers.resetting());
    fails("closing", "tls_handshake_failed", servers.closing());
    // The beginning of a handshake record, one byte a second.
    fails("dripping", "read_timeout", servers.repeating(new byte[] {22}, Duration.ofSeconds(1)));
    // Warning alerts, which a client may pass over, without end.
    fails(
        "endless-alerts",
        "tls_handshake_failed",
        servers.repeating(new byte[] {21, 3, 3, 0, 2, 1, 112}, Duration.ofMillis(1)));
    // A handshake message of 16 MiB that never ends.
    byte[] record = new byte[5 + 16384];
    record[0] = 22;
    record[1] = 3;
    record[2] = 3;
    record[3] = 64;
    record[5] = 2;
    record[6] = (byte) 255;
    fails(
        "endless-message", "tls_handshake_failed", servers.repeating(record, Duration.ofMillis(1)));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() {
    servers.close();
    revocation.close();
  }

  /** Starts the lab, prints its targets and its root, and runs until it is killed. */
  public static void main(String[] arguments) throws InterruptedException {
    try (TlsLab lab = new TlsLab()) {
      lab.targets()
          .forEach(t -> System.out.println(t.module() + " " + t.target() + " " + t.expectation()));
      System.out.println(lab.rootPem());
      Thread.currentThread().join();
    }
  }
}
