package dev.plumbline.config;

import static dev.plumbline.config.SettingFormat.*;

import com.google.common.net.HostAndPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All settings, validated. {@code conf/plumbline.yaml} describes each one. */
public record Config(
        HttpSettings http,
        ManagementSettings management,
        DataSettings data,
        DatabaseSettings database,
        CheckSettings checks,
        CacheSettings cache,
        LimitSettings limits,
        JobSettings jobs,
        SharedResultSettings results,
        AccountSettings accounts,
        BootstrapSettings bootstrap,
        SessionSettings session,
        NodeSettings node,
        ClusterSettings cluster,
        TargetSettings targets,
        DnsSettings dns,
        DnsblSettings dnsbl,
        RegistrySettings registries,
        RpkiSettings rpki,
        AsnSettings asn,
        TlsSettings tls,
        PolicySettings policies,
        McpSettings mcp,
        ProbeSettings probe,
        TracingSettings tracing,
        LogSettings log) {

    /**
     * @param shutdownDelay time after SIGTERM for which the node is not ready, but accepts requests
     * @param shutdownTimeout maximum time to complete accepted requests after that
     */
    public record HttpSettings(
            @Setting(HOST) String host,
            @Setting(min = "0", max = "65535", unit = "a port", zero = "any free port") int port,
            @Setting(HTTP_URL) String publicUrl,
            @Setting(CIDR) List<String> trustedProxies,
            @Setting(ORIGIN) List<String> corsOrigins,
            @Setting(min = "0s", max = "1h") Duration shutdownDelay,
            @Setting(min = "0s", max = "1h") Duration shutdownTimeout,
            @Setting(min = "1s", max = "1h") Duration idleTimeout,
            @Setting(min = "100ms", max = "5m") Duration headerTimeout,
            @Setting(min = "100ms", max = "5m") Duration bodyTimeout,
            @Setting(min = "1", max = "1000000") int maxConcurrentRequests,
            @Setting(min = "1", max = "1000000") int maxConnections,
            @Setting(min = "0", max = "1000000", zero = "no limit") int maxConnectionsPerClient,
            @Setting(FILE) @Nullable Path tlsCertificate,
            @Setting(FILE) @Nullable Path tlsKey) {

        /** Removes trailing slashes from the public URL; derives it from host and port if empty. */
        public HttpSettings {
            if (publicUrl.isEmpty()) {
                String name = host.equals("0.0.0.0") || host.equals("::") ? "localhost" : host;
                publicUrl = (tlsCertificate == null ? "http://" : "https://") + HostAndPort.fromParts(name, port);
            }
            publicUrl = publicUrl.replaceAll("/+$", "");
        }
    }

    public record ManagementSettings(
            @Setting(HOST) String host,
            @Setting(min = "0", max = "65535", unit = "a port", zero = "any free port") int port) {}

    public record DataSettings(@Setting(DIRECTORY) Path dir) {}

    /** @param url null for the embedded database */
    public record DatabaseSettings(
            @Setting(DATABASE_URL) @Nullable String url,
            @Setting(min = "1", max = "1000") int poolSize,
            @Setting(min = "50ms", max = "1m") Duration timeout) {
        /** Hides the password. */
        @Override
        public String toString() {
            return "DatabaseSettings[" + (url == null ? "embedded" : "external") + "]";
        }
    }

    public record CheckSettings(
            @Setting(min = "1", max = "100000") int concurrent, @Setting(min = "0", max = "1000000") int queueSize) {}

    public record CacheSettings(
            @Setting(min = "1s", max = "1d") Duration ttl, @Setting(min = "1", max = "65536") int memoryMib) {
        public long memoryBytes() {
            return memoryMib * 1024L * 1024;
        }
    }

    /** Limits in any 60 minutes, that of probes in any 60 seconds; 0 = no limit. */
    public record LimitSettings(
            @Setting(min = "0", max = "10000", zero = "no limit") int freshPerHour,
            @Setting(min = "0", max = "10000", zero = "no quota per API key") int freshPerHourKey,
            @Setting(min = "0", max = "10000", zero = "no limit") int jobsPerHour,
            @Setting(min = "0", max = "10000", zero = "no limit") int jobsPerHourAccount,
            @Setting(min = "0", max = "10000", zero = "no limit") int probesPerMinute) {}

    public record JobSettings(@Setting(min = "1s", max = "3660d") Duration retention) {}

    /**
     * Shared results.
     *
     * @param retention time for which a result is shared
     * @param perAccount maximum number of shared results of an account
     * @param maxMib maximum size of all shared results
     */
    public record SharedResultSettings(
            @Setting(min = "1s", max = "3660d") Duration retention,
            @Setting(min = "0", max = "1000000", zero = "jobs cannot be shared") int perAccount,
            @Setting(min = "0", max = "16777216", zero = "nothing can be shared") int maxMib) {
        public long maxBytes() {
            return maxMib * 1024L * 1024;
        }
    }

    public record AccountSettings(@Setting(SIGN_UP) String signup, @Setting(PLAN) String defaultPlan) {}

    /** The account of the first start. Values that are null are generated and printed. */
    public record BootstrapSettings(
            @Setting(EMAIL) @Nullable String email,
            @Setting(PASSWORD) @Nullable String password,
            @Setting(API_KEY) @Nullable String apiKey) {
        /** Hides the secrets. */
        @Override
        public String toString() {
            return "BootstrapSettings[" + (email == null ? "" : email) + "]";
        }
    }

    /** @param secret null for a secret that is generated and stored in {@code data.dir} */
    public record SessionSettings(
            @Setting(SECRET) @Nullable String secret, @Setting(SECRET) @Nullable String previousSecret) {
        /** Hides the secrets. */
        @Override
        public String toString() {
            return "SessionSettings[" + (secret == null ? "generated" : "configured") + "]";
        }
    }

    /**
     * @param roles not empty; all roles unless the cluster is enabled
     * @param lease time without renewal after which a node is considered failed
     */
    public record NodeSettings(@Setting(ROLE) Set<NodeRole> roles, @Setting(min = "4s", max = "5m") Duration lease) {
        public boolean has(NodeRole role) {
            return roles.contains(role);
        }
    }

    /**
     * The three TLS files are all set or all null.
     *
     * @param host an address or a name at which other nodes can reach this node
     * @param port the port of Hazelcast; the event bus uses the next one
     * @param tlsCa the certificates that sign the certificates of all nodes
     * @param insecure whether an address other than a loopback address is permitted without the TLS files
     */
    public record ClusterSettings(
            @Setting(BOOLEAN) boolean enabled,
            @Setting(CLUSTER_HOST) String host,
            @Setting(min = "1", max = "65534", unit = "a port") int port,
            @Setting(FILE) @Nullable Path tlsCertificate,
            @Setting(FILE) @Nullable Path tlsKey,
            @Setting(FILE) @Nullable Path tlsCa,
            @Setting(BOOLEAN) boolean insecure) {
        public int busPort() {
            return port + 1;
        }
    }

    /**
     * @param perNetwork for a /24 (IPv4) or a /48 (IPv6)
     * @param perDomain for a registrable domain
     * @param dnsPerDomainPerSecond DNS queries per second for names below a registrable domain other than that of the
     *     target
     */
    public record TargetSettings(
            @Setting(CIDR) List<String> allow,
            @Setting(DOMAIN_OR_CIDR) List<String> deny,
            @Setting(PORTS) List<String> ports,
            @Setting(CONTACT) @Nullable String contact,
            OutboundLimit perIp,
            OutboundLimit perNetwork,
            OutboundLimit perDomain,
            @Setting(min = "0", max = "1000000", zero = "no limit") int dnsPerDomainPerSecond) {}

    /**
     * A rate limit and a concurrency limit; 0 = no limit.
     *
     * @param perSecond connections or requests started per second
     * @param concurrent connections or requests open at the same time
     */
    public record OutboundLimit(
            @Setting(min = "0", max = "1000000", zero = "no limit") int perSecond,
            @Setting(min = "0", max = "1000000", zero = "no limit") int concurrent) {}

    /**
     * @param servers {@code address:port}; empty for the system's resolvers
     * @param resolvers resolvers that a check can select, by name
     * @param propagation public resolvers whose responses are compared, by name
     * @param timeout of one query to one server
     * @param trustAnchors DS or DNSKEY records in the form of a zone file
     */
    public record DnsSettings(
            @Setting(SOCKET_ADDRESS) List<String> servers,
            @Setting(NAMED_SOCKET_ADDRESS) Map<String, List<String>> resolvers,
            @Setting(NAMED_SOCKET_ADDRESS) Map<String, List<String>> propagation,
            @Setting(DOMAIN) List<String> denySuffixes,
            @Setting(min = "50ms", max = "30s") Duration timeout,
            @Setting(min = "0", max = "10000000") int cacheEntries,
            @Setting(TRUST_ANCHOR) List<String> trustAnchors) {

        /** Without named resolvers and trust anchors. */
        public DnsSettings(List<String> servers, List<String> denySuffixes, Duration timeout, int cacheEntries) {
            this(servers, Map.of(), Map.of(), denySuffixes, timeout, cacheEntries, List.of());
        }

        /** These settings with the servers of a named resolver. */
        public DnsSettings forResolver(String name) {
            return new DnsSettings(
                    resolvers.getOrDefault(name, servers),
                    Map.of(),
                    Map.of(),
                    denySuffixes,
                    timeout,
                    cacheEntries,
                    trustAnchors);
        }
    }

    /** @param zones the DNS blocklists that checks can query */
    public record DnsblSettings(@Setting(DOMAIN) List<String> zones) {}

    /** @param rdapBootstrap a URL or a file; null for the built-in list */
    public record RegistrySettings(
            @Setting(value = WHOIS_SERVER, key = "whois.server") String whoisServer,
            @Setting(value = URL_OR_FILE, key = "rdap.bootstrap") @Nullable String rdapBootstrap,
            OutboundLimit perServer) {}

    /** @param validator the URL or the file of the validated ROA payloads; null for none */
    public record RpkiSettings(@Setting(URL_OR_FILE) @Nullable String validator) {}

    /** @param zones the DNS zones with the routes of addresses, by {@code ipv4} and {@code ipv6}, at most one each */
    public record AsnSettings(@Setting(ASN_ZONE) Map<String, List<String>> zones) {}

    /** @param extraRoots a PEM file, or null */
    public record TlsSettings(@Setting(FILE) @Nullable Path extraRoots) {}

    /** @param dir the folder with the policies of the operator; null for none */
    public record PolicySettings(@Setting(DIRECTORY) @Nullable Path dir) {}

    /** @param enabled whether {@code /mcp} serves the Model Context Protocol */
    public record McpSettings(@Setting(BOOLEAN) boolean enabled) {}

    /**
     * Prometheus probes.
     *
     * @param enabled whether {@code /probe} exists
     * @param allow clients that do not need an API key
     */
    public record ProbeSettings(@Setting(BOOLEAN) boolean enabled, @Setting(CIDR) List<String> allow) {}

    /**
     * @param endpoint the URL of the collector for traces (OTLP over HTTP); null if traces are disabled
     * @param headers of each request to the collector, by name; secret
     * @param sampleRatio a decimal number from 0 to 1
     * @param targets whether traces contain targets
     */
    public record TracingSettings(
            @Setting(OTLP_URL) @Nullable String endpoint,
            @Setting(REQUEST_HEADER) Map<String, List<String>> headers,
            @Setting(RATIO) String sampleRatio,
            @Setting(BOOLEAN) boolean targets) {
        /** The fraction of new traces that are recorded, from 0 to 1. */
        public double ratio() {
            return Double.parseDouble(sampleRatio);
        }

        /** Hides the headers. */
        @Override
        public String toString() {
            return "TracingSettings[" + endpoint + "]";
        }
    }

    /** @param access whether each HTTP request is logged */
    public record LogSettings(
            @Setting(LOG_LEVEL) String level, @Setting(LOG_FORMAT) String format, @Setting(BOOLEAN) boolean access) {
        /** The name of the logger of HTTP requests. */
        public static final String ACCESS_LOGGER = "dev.plumbline.access";
    }
}
