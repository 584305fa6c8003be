package dev.plumbline.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.plumbline.config.Config.Pace;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings from the defaults in the jar, a file and the environment, the later winning. The file in
 * the jar is also the list of what there is: any other setting is a fault.
 */
public final class ConfigLoader {
    private static final String PREFIX = "PLUMBLINE_";
    private static final Pattern KUBERNETES_PORT = Pattern.compile(".*_PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");

    private ConfigLoader() {}

    /**
     * @param file null for none
     * @throws ConfigException with every fault there is
     */
    public static Config load(@Nullable Path file, Map<String, String> environment) throws ConfigException {
        Map<String, Object> values = defaults();
        List<String> faults = new ArrayList<>();
        if (file != null) {
            overlayFile(file, values, faults);
        }
        overlayEnvironment(environment, values, faults);
        Settings settings = new Settings(values);
        Config config = read(settings);
        faults.addAll(settings.faults());
        if (!faults.isEmpty()) {
            throw new ConfigException(faults);
        }
        return config;
    }

    /** Every setting with its default, by its dotted name. */
    static Map<String, Object> defaults() {
        try (InputStream in = ConfigLoader.class.getResourceAsStream("/plumbline.yaml")) {
            if (in == null) {
                throw new IllegalStateException("plumbline.yaml is missing from the program");
            }
            Map<String, Object> flat = new TreeMap<>();
            flatten("", new YAMLMapper().readTree(in), flat);
            return flat;
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static void overlayFile(Path file, Map<String, Object> values, List<String> faults) {
        JsonNode tree;
        try {
            tree = new YAMLMapper()
                    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                    .readTree(Files.readString(file));
        } catch (JsonProcessingException broken) {
            faults.add(file
                    + ": is no YAML: line "
                    + (broken.getLocation() == null ? "?" : broken.getLocation().getLineNr())
                    + ": "
                    + broken.getOriginalMessage().lines().findFirst().orElse(""));
            return;
        } catch (IOException unreadable) {
            faults.add(file + ": cannot be read");
            return;
        }
        Map<String, Object> given = new TreeMap<>();
        if (tree.isObject()) {
            flatten("", tree, given);
        } else if (!tree.isMissingNode() && !tree.isNull()) {
            faults.add(file + ": must hold settings such as http: {port: 8080}");
        }
        given.forEach((key, value) -> {
            if (values.containsKey(key)) {
                values.put(key, value);
            } else {
                faults.add(file + ": " + key + ": there is no such setting" + hint(key, values));
            }
        });
    }

    private static void overlayEnvironment(
            Map<String, String> environment, Map<String, Object> values, List<String> faults) {
        Map<String, String> names = new TreeMap<>();
        for (String key : values.keySet()) {
            names.put(PREFIX + key.replace('.', '_').toUpperCase(Locale.ROOT), key);
        }
        for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
            String name = variable.getKey();
            if (!name.startsWith(PREFIX)) {
                continue;
            }
            String key = names.get(name);
            if (key != null && !isKubernetesLink(name, variable.getValue())) {
                values.put(key, variable.getValue());
            } else if (key == null && !isInjectedByKubernetes(name, variable.getValue())) {
                faults.add(name
                        + ": there is no such setting"
                        + hint(name.substring(PREFIX.length()).toLowerCase(Locale.ROOT), values));
            }
        }
    }

    /** Kubernetes gives each pod variables for each service, named after it. */
    private static boolean isInjectedByKubernetes(String name, String value) {
        return name.startsWith(PREFIX + "SERVICE_")
                || name.contains("_SERVICE_")
                || KUBERNETES_PORT.matcher(name).matches()
                || isKubernetesLink(name, value);
    }

    private static boolean isKubernetesLink(String name, String value) {
        return name.endsWith("_PORT") && value.startsWith("tcp://");
    }

    private static String hint(String key, Map<String, Object> values) {
        String wanted = key.replaceAll("[._-]", "");
        return values.keySet().stream()
                .filter(known -> {
                    String plain = known.replaceAll("[._]", "");
                    return plain.equals(wanted) || plain.endsWith(wanted) || wanted.endsWith(plain);
                })
                .findFirst()
                .map(known -> "; did you mean " + known + "?")
                .orElse("; conf/plumbline.yaml lists all");
    }

    private static void flatten(String prefix, JsonNode node, Map<String, Object> into) {
        node.properties().forEach(entry -> {
            String key = prefix + entry.getKey();
            JsonNode value = entry.getValue();
            if (value.isObject()) {
                flatten(key + ".", value, into);
            } else if (value.isArray()) {
                List<String> items = new ArrayList<>();
                value.forEach(item -> items.add(item.asText()));
                into.put(key, items);
            } else {
                into.put(key, value.isNull() ? "" : value.asText());
            }
        });
    }

    private static Config read(Settings s) {
        return new Config(
                http(s),
                new Config.Management(s.host("management.host"), s.integer("management.port", 0, 65_535)),
                new Config.Data(s.folder("data.dir")),
                database(s),
                new Config.Checks(s.integer("checks.concurrent", 1, 100_000), s.integer("checks.queue", 0, 1_000_000)),
                new Config.Cache(
                        s.duration("cache.ttl", Duration.ofSeconds(1), Duration.ofDays(1)),
                        1024L * 1024 * s.integer("cache.memory_mib", 1, 65_536)),
                new Config.Limits(
                        s.integer("limits.fresh_per_hour", 0, 10_000),
                        s.integer("limits.jobs_per_hour", 0, 10_000),
                        s.integer("limits.jobs_per_hour_account", 0, 10_000)),
                new Config.Jobs(s.duration("jobs.retention", Duration.ofSeconds(1), Duration.ofDays(3660))),
                new Config.Accounts(
                        s.oneOf("accounts.signup", "open", "closed"), s.oneOf("accounts.default_plan", "free", "pro")),
                bootstrap(s),
                session(s),
                targets(s),
                new Config.Dns(
                        s.sockets("dns.servers"),
                        s.namedSockets("dns.resolvers"),
                        s.names("dns.deny_suffixes"),
                        s.duration("dns.timeout", Duration.ofMillis(50), Duration.ofSeconds(30)),
                        s.integer("dns.cache_entries", 0, 10_000_000)),
                registries(s),
                new Config.Tls(s.readableFile("tls.extra_roots")),
                new Config.Log(
                        s.oneOf("log.level", "error", "warn", "info", "debug"), s.oneOf("log.format", "text", "json")));
    }

    private static Config.Http http(Settings s) {
        Path certificate = s.readableFile("http.tls_certificate");
        Path key = s.readableFile("http.tls_key");
        if ((certificate == null) != (key == null)) {
            s.fault("http.tls_key", "goes with http.tls_certificate: give both or neither");
        }
        String host = s.host("http.host");
        int port = s.integer("http.port", 0, 65_535);
        return new Config.Http(
                host,
                port,
                publicUrl(s, host, port, certificate != null),
                s.cidrs("http.trusted_proxies"),
                s.duration("http.drain", Duration.ZERO, Duration.ofHours(1)),
                s.duration("http.idle_timeout", Duration.ofSeconds(1), Duration.ofHours(1)),
                s.duration("http.head_timeout", Duration.ofMillis(100), Duration.ofMinutes(5)),
                s.duration("http.body_timeout", Duration.ofMillis(100), Duration.ofMinutes(5)),
                s.integer("http.max_concurrent", 1, 1_000_000),
                s.integer("http.max_connections", 1, 1_000_000),
                certificate,
                key);
    }

    private static String publicUrl(Settings s, String host, int port, boolean tls) {
        String text = s.text("http.public_url");
        if (text.isEmpty()) {
            // nobody can follow a link to "all addresses"
            String reachable = host.equals("0.0.0.0") || host.equals("::") ? "localhost" : host;
            String name = reachable.indexOf(':') >= 0 ? "[" + reachable + "]" : reachable;
            return (tls ? "https://" : "http://") + name + ":" + port;
        }
        try {
            URI url = new URI(text);
            if (url.getHost() != null
                    && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
                    && url.getRawQuery() == null
                    && url.getRawFragment() == null
                    && url.getRawUserInfo() == null) {
                return text.replaceAll("/+$", "");
            }
        } catch (URISyntaxException notAUrl) {
            // reported below, as any URL of another kind
        }
        s.fault("http.public_url", "'" + text + "' is no URL such as https://checks.example.com");
        return text;
    }

    private static Config.Database database(Settings s) {
        String url = s.optionalText("database.url");
        if (url != null && !url.matches("postgres(ql)?://[^\\s]+")) {
            s.fault("database.url", "must look like postgresql://user:password@host:port/name");
        }
        return new Config.Database(
                url,
                s.integer("database.pool_size", 1, 1000),
                s.duration("database.timeout", Duration.ofMillis(50), Duration.ofMinutes(1)));
    }

    private static Config.Bootstrap bootstrap(Settings s) {
        Config.Bootstrap bootstrap = new Config.Bootstrap(
                s.optionalText("bootstrap.email"),
                s.optionalText("bootstrap.password"),
                s.optionalText("bootstrap.api_key"));
        if (bootstrap.email() != null && !bootstrap.email().matches("[^@\\s]+@[^@\\s]+")) {
            s.fault("bootstrap.email", "must be an e-mail address");
        }
        if (bootstrap.apiKey() != null && !bootstrap.apiKey().matches("plk_[0-9A-Za-z]{38}")) {
            s.fault("bootstrap.api_key", "must be plk_ and 38 letters and digits, as key generate makes it");
        }
        if (bootstrap.password() != null && bootstrap.password().length() < 12) {
            s.fault("bootstrap.password", "must have at least 12 characters");
        }
        return bootstrap;
    }

    private static Config.Session session(Settings s) {
        String secret = s.optionalText("session.secret");
        if (secret != null && secret.length() < 32) {
            s.fault("session.secret", "must have at least 32 characters; try: openssl rand -base64 48");
        }
        return new Config.Session(secret);
    }

    private static Config.Targets targets(Settings s) {
        String contact = s.optionalText("targets.contact");
        if (contact != null && !contact.matches("[\\x21-\\x7e&&[^()\\\\]]{1,200}")) {
            s.fault("targets.contact", "must be a URL or an e-mail address in ASCII without spaces");
        }
        return new Config.Targets(
                s.cidrs("targets.allow"),
                s.namesOrCidrs("targets.deny"),
                s.ports("targets.ports"),
                contact,
                pace(s, "ip"),
                pace(s, "network"),
                pace(s, "domain"));
    }

    private static Config.Registries registries(Settings s) {
        String bootstrap = s.optionalText("rdap.bootstrap");
        if (bootstrap != null && !bootstrap.matches("https?://[^\\s/]+(/\\S*)?")) {
            s.readableFile("rdap.bootstrap");
        }
        String server = s.text("whois.server");
        if (!server.matches("[A-Za-z0-9.-]+(:[0-9]{1,5})?|\\[[0-9A-Fa-f:]+\\](:[0-9]{1,5})?")) {
            s.fault("whois.server", "'" + server + "' is no host, or host:port, such as whois.iana.org");
        }
        return new Config.Registries(
                server,
                bootstrap,
                new Pace(
                        s.integer("registries.per_second", 0, 1_000_000),
                        s.integer("registries.concurrent", 0, 1_000_000)));
    }

    private static Pace pace(Settings s, String scope) {
        return new Pace(
                s.integer("targets.per_" + scope + "_per_second", 0, 1_000_000),
                s.integer("targets.per_" + scope + "_concurrent", 0, 1_000_000));
    }
}
