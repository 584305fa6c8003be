package dev.plumbline.lab;

import dev.plumbline.lab.TestCa.Identity;
import dev.plumbline.lab.TlsServers.Manner;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    public record Server(String name, String host, int port, String problem, String error, String options) {
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

    public TlsLab() {
        new CertificateFaults(this).all();
        new RevocationCases(this).all();
        new HandshakeCases(this).all();
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

    static String host(String name) {
        return name + "." + DOMAIN;
    }

    static CertificateSpec spec(String name) {
        return CertificateSpec.server(host(name));
    }

    /** Adds a server that shows an identity. */
    void shows(String name, String problem, Identity identity) {
        shows(name, problem, identity, Manner.PLAIN, "");
    }

    /** Adds a server that shows an identity in its own manner, to be checked with these options. */
    void shows(String name, String problem, Identity identity, Manner manner, String options) {
        shows(name, host(name), problem, identity, manner, options);
    }

    /** Adds a server for another host than its name says. */
    void shows(String name, String host, String problem, Identity identity, Manner manner, String options) {
        identities.put(name, identity);
        add(name, host, servers.serve(identity, manner), problem, "", options);
    }

    /** Adds a server with which no handshake comes about. */
    void fails(String name, String error, int port) {
        add(name, host(name), port, "", error, "timeout_ms=3000");
    }

    /** Adds a server with which no handshake comes about for want of a certificate of ours. */
    void fails(String name, String error, Identity identity, Manner manner) {
        identities.put(name, identity);
        fails(name, error, servers.serve(identity, manner));
    }

    void add(String name, String host, int port, String problem, String error, String options) {
        byName.put(name, new Server(name, host, port, problem, error, options));
    }

    TlsServers tcp() {
        return servers;
    }

    @Override
    public void close() {
        servers.close();
        revocation.close();
    }

    /** Starts the lab, prints its targets and its root, and runs until it is killed. */
    public static void main(String[] arguments) throws InterruptedException {
        try (TlsLab lab = new TlsLab()) {
            lab.targets().forEach(t -> System.out.println(t.module() + " " + t.target() + " " + t.expectation()));
            System.out.println(lab.rootPem());
            Thread.currentThread().join();
        }
    }
}
