package dev.plumbline.lab;

import dev.plumbline.lab.TestCa.Identity;
import dev.plumbline.lab.TlsServers.ServerOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * TLS servers on 127.0.0.1, one port for each certificate or handshake case. Each server has its own hostname below
 * {@link #DOMAIN}. Clients must trust {@link #rootPem()}.
 */
public final class TlsLab implements AutoCloseable {
    /** The parent domain of all hostnames. */
    public static final String DOMAIN = "tls.lab.test";

    /**
     * A server.
     *
     * @param name unique name in the lab
     * @param host hostname of the server
     * @param problem expected {@code problem}; empty if the handshake fails
     * @param error expected error code; empty if the handshake succeeds
     * @param options options of the check in the form of a query; can be empty
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

    private final LabPorts ports;
    private final TlsServers servers;
    private final RevocationLab revocation;
    private final Map<String, Server> byName = new LinkedHashMap<>();
    private final Map<String, Identity> identities = new LinkedHashMap<>();
    private final TestCa root = TestCa.root("Lab Root");
    private final TestCa issuer = root.authority("Lab Issuer");

    public TlsLab() {
        this(LabPorts.free());
    }

    TlsLab(LabPorts ports) {
        this.ports = ports;
        this.servers = new TlsServers(ports);
        this.revocation = new RevocationLab(ports.next());
        new CertificateCases(this).addAll();
        new RevocationCases(this).addAll();
        new HandshakeCases(this).addAll();
    }

    /** The root certificate in PEM. */
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

    /** The identity of a server. */
    public Identity identity(String name) {
        return identities.get(name);
    }

    public List<Server> servers() {
        return List.copyOf(byName.values());
    }

    /** The targets with their expected results. */
    public List<LabTarget> targets() {
        return byName.values().stream().map(Server::target).toList();
    }

    /** The server for OCSP responses and CRLs. */
    public RevocationLab revocation() {
        return revocation;
    }

    static String host(String name) {
        return name + "." + DOMAIN;
    }

    static CertificateSpec spec(String name) {
        return CertificateSpec.server(host(name));
    }

    /** Adds a server with default options. */
    void addServer(String name, String problem, Identity identity) {
        addServer(name, problem, identity, ServerOptions.DEFAULT, "");
    }

    /** Adds a server with options for the server and for the check. */
    void addServer(String name, String problem, Identity identity, ServerOptions serverOptions, String options) {
        addServer(name, host(name), problem, identity, serverOptions, options);
    }

    /** Adds a server whose hostname differs from its name. */
    void addServer(
            String name, String host, String problem, Identity identity, ServerOptions serverOptions, String options) {
        identities.put(name, identity);
        add(name, host, servers.serve(identity, serverOptions), problem, "", options);
    }

    /** Adds a server with a failing handshake. */
    void addFailing(String name, String error, int port) {
        add(name, host(name), port, "", error, "timeout_ms=3000");
    }

    /** Adds a server that requires a client certificate. */
    void addFailing(String name, String error, Identity identity, ServerOptions options) {
        identities.put(name, identity);
        addFailing(name, error, servers.serve(identity, options));
    }

    void add(String name, String host, int port, String problem, String error, String options) {
        byName.put(name, new Server(name, host, port, problem, error, options));
    }

    LabPorts ports() {
        return ports;
    }

    TlsServers tcp() {
        return servers;
    }

    @Override
    public void close() {
        servers.close();
        revocation.close();
    }
}
