package dev.plumbline.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every setting, checked and typed. {@code conf/plumbline.yaml} says what each one means. */
public record Config(
        Http http,
        Management management,
        Data data,
        Database database,
        Checks checks,
        Cache cache,
        Limits limits,
        Jobs jobs,
        Accounts accounts,
        Bootstrap bootstrap,
        Session session,
        Targets targets,
        Dns dns,
        Registries registries,
        Tls tls,
        Log log) {

    /** The same settings with these ports. */
    public Config withPorts(int httpPort, int managementPort) {
        return new Config(
                http.withPort(httpPort),
                new Management(management.host(), managementPort),
                data,
                database,
                checks,
                cache,
                limits,
                jobs,
                accounts,
                bootstrap,
                session,
                targets,
                dns,
                registries,
                tls,
                log);
    }

    /**
     * @param publicUrl without a trailing slash; derived from host and port when not set
     * @param trustedProxies CIDRs
     * @param tlsCertificate PEM file, null for plain HTTP
     * @param tlsKey PEM file, null for plain HTTP
     */
    public record Http(
            String host,
            int port,
            String publicUrl,
            List<String> trustedProxies,
            Duration drain,
            Duration idleTimeout,
            Duration headTimeout,
            Duration bodyTimeout,
            int maxConcurrent,
            int maxConnections,
            @Nullable Path tlsCertificate,
            @Nullable Path tlsKey) {

        private Http withPort(int chosen) {
            String url = publicUrl.endsWith(":0") ? publicUrl.substring(0, publicUrl.length() - 1) + chosen : publicUrl;
            return new Http(
                    host,
                    chosen,
                    url,
                    trustedProxies,
                    drain,
                    idleTimeout,
                    headTimeout,
                    bodyTimeout,
                    maxConcurrent,
                    maxConnections,
                    tlsCertificate,
                    tlsKey);
        }
    }

    /** The listening address of health and metrics. */
    public record Management(String host, int port) {}

    /** Where the embedded database and generated secrets live. */
    public record Data(Path dir) {}

    /**
     * @param url {@code postgresql://user:password@host:port/name}, null for the embedded database
     */
    public record Database(@Nullable String url, int poolSize, Duration timeout) {
        /** Hides the password. */
        @Override
        public String toString() {
            return "Database[" + (url == null ? "embedded" : "external") + "]";
        }
    }

    /**
     * @param concurrent checks that run at once on this node
     * @param queue checks that wait for a place, at most
     */
    public record Checks(int concurrent, int queue) {}

    /**
     * @param memoryBytes what the in-memory cache of answers may hold
     */
    public record Cache(Duration ttl, long memoryBytes) {}

    /**
     * All of them in any 60 minutes; 0 for no limit.
     *
     * @param freshPerHour fresh instant checks per client address
     * @param jobsPerHour jobs created with one API key
     * @param jobsPerHourAccount jobs created by one account
     */
    public record Limits(int freshPerHour, int jobsPerHour, int jobsPerHourAccount) {}

    /**
     * @param retention how long the results of a job are kept after its end
     */
    public record Jobs(Duration retention) {}

    /**
     * @param signup open or closed
     * @param defaultPlan free or pro: the plan of an account that signs up
     */
    public record Accounts(String signup, String defaultPlan) {}

    /**
     * The account of the first start, where the operator chooses it; null: one is made up and
     * printed.
     */
    public record Bootstrap(@Nullable String email, @Nullable String password, @Nullable String apiKey) {
        /** Hides the secrets. */
        @Override
        public String toString() {
            return "Bootstrap[" + (email == null ? "" : email) + "]";
        }
    }

    /**
     * @param secret what sessions are signed with; null: generated once and kept in the data folder
     */
    public record Session(@Nullable String secret) {
        /** Hides the secret. */
        @Override
        public String toString() {
            return "Session[" + (secret == null ? "generated" : "given") + "]";
        }
    }

    /**
     * Whom the service may contact and how fast; 0 means no limit.
     *
     * @param contact how an operator of a target can reach ours, in our User-Agent; null for nothing
     * @param network a /24, or a /48 in IPv6
     */
    public record Targets(
            List<String> allow,
            List<String> deny,
            List<String> ports,
            @Nullable String contact,
            Pace ip,
            Pace network,
            Pace domain) {}

    /**
     * @param perSecond connections opened per second
     * @param concurrent connections open at once
     */
    public record Pace(int perSecond, int concurrent) {}

    /**
     * @param servers {@code host:port}; empty for the system's
     * @param resolvers other recursive servers that people may choose, by name; in order
     * @param timeout for one query to one server
     */
    public record Dns(
            List<String> servers,
            Map<String, List<String>> resolvers,
            List<String> denySuffixes,
            Duration timeout,
            int cacheEntries) {

        /** Nothing to choose from. */
        public Dns(List<String> servers, List<String> denySuffixes, Duration timeout, int cacheEntries) {
            this(servers, Map.of(), denySuffixes, timeout, cacheEntries);
        }

        /** These settings, of one of the resolvers. */
        public Dns of(String resolver) {
            return new Dns(resolvers.getOrDefault(resolver, servers), denySuffixes, timeout, cacheEntries);
        }
    }

    /**
     * Whom to ask about registrations.
     *
     * @param whoisServer a host, perhaps with a port, that knows which server is asked for which
     *     top-level domain
     * @param rdapBootstrap a URL or a file; null for the list in the program alone
     * @param pace for each server of a registry
     */
    public record Registries(String whoisServer, @Nullable String rdapBootstrap, Pace pace) {}

    /**
     * @param extraRoots PEM file, null for none
     */
    public record Tls(@Nullable Path extraRoots) {}

    /**
     * @param level error, warn, info or debug
     * @param format text or json
     */
    public record Log(String level, String format) {}
}
