package dev.plumbline.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.config.NodeRole;
import dev.plumbline.support.DebianTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * The files for a cluster in {@code src/deploy} are valid for their tools, and agree with the program and each other.
 */
class ClusterDeploymentTest {
    private static final Path DEPLOY = Path.of("src/deploy");
    private static final Path HAPROXY = DEPLOY.resolve("haproxy/haproxy.cfg");
    private static final Path COMPOSE = DEPLOY.resolve("compose/compose.yaml");
    private static final Path CHART = DEPLOY.resolve("kubernetes/plumbline");
    private static final String INSECURE = "secret.existingSecret=secret,cluster.insecure=true";
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)(?::([-?])([^}]*))?}");
    private static final Map<String, String> SECRETS =
            Map.of("DATABASE_PASSWORD", "secret", "SESSION_SECRET", "0123456789012345678901234567890123456789");

    @TempDir
    Path folder;

    @Tag("integration")
    @Test
    void haproxyAcceptsItsConfiguration() throws Exception {
        assertThat(output(DebianTool.require("haproxy").toString(), "-c", "-f", HAPROXY.toString()))
                .contains("Configuration file is valid")
                .doesNotContain("WARNING");
    }

    @Test
    void haproxyChecksTheHealthAndDoesNotRepeatRequests() throws Exception {
        Config defaults = ConfigLoader.load(null, Map.of());

        assertThat(Files.readString(HAPROXY))
                .contains("option httpchk GET /health/ready")
                .contains("timeout check 3s\n")
                .contains("default-server check inter 1s fall 3 rise 1 ")
                .contains("retry-on conn-failure\n");
        for (int server = 1; server <= 2; server++) {
            assertThat(Files.readString(HAPROXY))
                    .contains(":${NODE_%d_HTTP_PORT-%d}\" port \"${NODE_%d_MANAGEMENT_PORT-%d}\"\n"
                            .formatted(
                                    server,
                                    defaults.http().port(),
                                    server,
                                    defaults.management().port()));
        }
    }

    @Test
    void commandsOfClusterMdSetValidSettings() throws Exception {
        String document = Files.readString(Path.of("src/docs/cluster.md"));
        Map<String, String> environment = new TreeMap<>();
        Pattern.compile("(?m)^(?:export .*|start_node\\(\\).*)$")
                .matcher(document)
                .results()
                .flatMap(line -> Pattern.compile("(PLUMBLINE_[A-Z_]+)=(\\$\\([^)]*\\)|\\S+)")
                        .matcher(line.group())
                        .results())
                .forEach(variable -> environment.put(
                        variable.group(1),
                        variable.group(2).startsWith("$(")
                                ? SECRETS.get("SESSION_SECRET")
                                : variable.group(2)
                                        .replace("$2", "http,coordinate")
                                        .replace("${1}", "1")
                                        .replace("$1", "1")));

        Config config = ConfigLoader.load(null, environment);

        assertThat(config.cluster().enabled()).isTrue();
        assertThat(config.node().roles()).containsExactly(NodeRole.HTTP, NodeRole.COORDINATE);
        assertThat(config.http().trustedProxies()).containsExactly("127.0.0.1");
        // three health checks of haproxy.cfg, one per second, and the timeout of a check
        assertThat(config.http().shutdownDelay()).isGreaterThan(Duration.ofSeconds(6));
        Matcher user = Pattern.compile("://(\\w+):(\\w+)@[^/]+/(\\w+)")
                .matcher(String.valueOf(config.database().url()));
        assertThat(user.find()).isTrue();
        assertThat(document)
                .contains("create role " + user.group(1) + " login password '" + user.group(2) + "'")
                .contains("create database " + user.group(3) + " owner " + user.group(1));
    }

    @Test
    void nodesOfTheComposeFileHaveValidSettings() throws Exception {
        Map<String, Object> services = map(yaml(COMPOSE), "services");
        Map<String, Object> haproxy = map(services, "haproxy");
        String proxy = address(haproxy, "public");
        List<String> proxied = new ArrayList<>();
        List<NodeRole> roles = new ArrayList<>();

        for (String name : List.of("node-1", "node-2", "node-3")) {
            Map<String, Object> node = map(services, name);
            Map<String, String> environment = new TreeMap<>();
            map(node, "environment").forEach((key, value) -> environment.put(key, interpolate(value.toString())));
            Config config = ConfigLoader.load(null, environment);

            assertThat(config.cluster().enabled()).isTrue();
            assertThat(config.cluster().host()).as("cluster.host of " + name).isEqualTo(address(node, "bus"));
            assertThat(environment).containsEntry("PLUMBLINE_HTTP_TRUSTED_PROXIES", proxy);
            assertThat(seconds(node.get("stop_grace_period"))).isGreaterThan(drain(config));
            assertThat(map(node, "networks").containsKey("targets"))
                    .as("network of targets on " + name)
                    .isEqualTo(config.node().has(NodeRole.RUN));
            if (config.node().has(NodeRole.HTTP)) {
                proxied.add(address(node, "public"));
            }
            roles.addAll(config.node().roles());
        }

        assertThat(map(haproxy, "environment").values()).containsExactlyElementsOf(List.copyOf(proxied));
        assertThat(NodeRole.values()).allSatisfy(role -> assertThat(roles)
                .as("two nodes with each role")
                .filteredOn(role::equals)
                .hasSize(2));
        assertThat(map(yaml(COMPOSE), "networks").get("bus")).asString().contains("internal=true");
    }

    @Tag("integration")
    @Test
    void composeAcceptsItsFile() throws Exception {
        Path program = DebianTool.ifInstalled("docker-compose");
        Path variables = Files.writeString(
                folder.resolve("env"), "DATABASE_PASSWORD=secret\nSESSION_SECRET=" + SECRETS.get("SESSION_SECRET"));

        assertThat(output(
                        program.toString(),
                        "-f",
                        COMPOSE.toString(),
                        "--env-file",
                        variables.toString(),
                        "config",
                        "--quiet"))
                .isEmpty();
    }

    @Test
    void variablesInTheChartAreSettings() throws IOException {
        String template = Files.readString(CHART.resolve("templates/deployment.yaml"));
        List<String> settings = settings(yaml(Path.of("conf/plumbline.yaml")), "");
        List<String> variables = Stream.concat(
                        Pattern.compile("PLUMBLINE_([A-Z]\\w+)")
                                .matcher(template)
                                .results(),
                        Pattern.compile("\"([A-Z_]+)\" \"[a-z-]+\"")
                                .matcher(template)
                                .results())
                .map(match -> "PLUMBLINE_" + match.group(1))
                .toList();

        assertThat(variables).hasSizeGreaterThan(6);
        assertThat(settings.stream().map(ConfigLoader::variable)).containsAll(variables);
    }

    @Tag("integration")
    @Test
    void chartRendersValidSettings() throws Exception {
        String helm = DebianTool.ifInstalled("helm").toString();
        assertThat(output(helm, "lint", "--strict", CHART.toString())).contains("0 chart(s) failed");
        String manifests = output(
                helm,
                "template",
                "plumbline",
                CHART.toString(),
                "--kube-version=1.31.0",
                "--set=secret.existingSecret=secret,cluster.insecure=true,groups.run.autoscaling.enabled=true");
        int deployments = 0;
        Path settings = folder.resolve("plumbline.yaml");
        for (Object document : parser().loadAll(manifests)) {
            if (document instanceof Map<?, ?> map && "ConfigMap".equals(map.get("kind"))) {
                Files.writeString(
                        settings, map(cast(map), "data").get("plumbline.yaml").toString());
            }
        }
        for (Object document : parser().loadAll(manifests)) {
            if (document instanceof Map<?, ?> map && "Deployment".equals(map.get("kind"))) {
                deployments++;
                Map<String, Object> pod = map(map(map(cast(map), "spec"), "template"), "spec");
                Config config = ConfigLoader.load(settings, environment(pod));

                assertThat(config.cluster().enabled()).isTrue();
                assertThat((int) pod.get("terminationGracePeriodSeconds")).isGreaterThan((int) drain(config) + 10);
                assertThat(pod.toString())
                        .contains("containerPort=" + config.management().port())
                        .contains("containerPort=" + config.cluster().port())
                        .contains("containerPort=" + config.cluster().busPort());
            }
        }
        assertThat(deployments).isEqualTo(3);
        assertThat(manifests).contains("averageValue: \"307\"", "publishNotReadyAddresses: true");
    }

    @Tag("integration")
    @Test
    void chartRestartsPodsWhenItsSecretChanges() throws Exception {
        String values = "cluster.insecure=true,secret.databaseUrl=postgresql://db/plumbline,secret.sessionSecret=new";
        String rotation = template(values + ",secret.sessionPreviousSecret=old");
        String completed = template(values);

        assertThat(rotation).contains("session-previous-secret: \"b2xk\"\n");
        assertThat(completed).doesNotContain("session-previous-secret: \"").doesNotContain("stringData:");
        assertThat(checksums(rotation)).hasSize(3).doesNotContainAnyElementsOf(checksums(completed));
        assertThat(template(INSECURE)).doesNotContain("checksum/secret");
    }

    @Tag("integration")
    @Test
    void chartRejectsAnIngressWithoutProxiesOrPublicUrl() throws Exception {
        String ingress = INSECURE + ",ingress.enabled=true";
        String proxies = ",settings.http.trusted_proxies={10.244.0.0/16}";

        assertThat(failure(ingress)).contains("Set settings.http.trusted_proxies");
        assertThat(failure(ingress + proxies)).contains("publicUrl is http://127.0.0.1:8080.");
        assertThat(template(ingress + proxies + ",publicUrl=https://plumbline.example.com"))
                .contains("kind: Ingress\n");
    }

    @Tag("integration")
    @Test
    void chartRejectsAnEventBusWithoutTlsUnlessItIsRequested() throws Exception {
        assertThat(failure("secret.existingSecret=secret")).contains("cluster.tlsSecret is empty. Set it to a Secret");
        assertThat(template("secret.existingSecret=secret,cluster.tlsSecret=bus"))
                .contains("tls_ca: /etc/plumbline/tls/ca.crt\n", "insecure: false\n");
        assertThat(template(INSECURE)).contains("insecure: true\n");
    }

    @Tag("integration")
    @Test
    void chartRejectsAutoscalingWithoutItsValues() throws Exception {
        String group = INSECURE + ",groups.http.autoscaling.enabled=true";
        String limits = ",groups.http.autoscaling.minReplicas=2,groups.http.autoscaling.maxReplicas=6";

        assertThat(failure(group)).contains("groups.http.autoscaling.minReplicas is not set.");
        assertThat(failure(group + limits)).contains("groups.http.autoscaling.targetPercent is not set.");
        assertThat(template(group + limits + ",groups.http.autoscaling.targetPercent=70"))
                .contains("kind: HorizontalPodAutoscaler\n", "averageUtilization: 70}")
                .doesNotContain("plumbline_checks_running");
    }

    @Tag("integration")
    @Test
    void podMonitorSetsTheJobOfTheAlertRules() throws Exception {
        String values = INSECURE;

        assertThat(template(values)).doesNotContain("kind: PodMonitor");
        assertThat(template(values + ",monitoring.podMonitor.enabled=true"))
                .contains("kind: PodMonitor\n", "jobLabel: app.kubernetes.io/name\n", "- port: management\n");
        assertThat(Files.readString(CHART.resolve("templates/_helpers.tpl")))
                .contains("app.kubernetes.io/name: plumbline\n");
        assertThat(Files.readString(DEPLOY.resolve("prometheus/rules.yml"))).contains("up{job=\"plumbline\"}");
    }

    private static String template(String values) throws IOException, InterruptedException {
        return output(helm(values));
    }

    private static String failure(String values) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(helm(values)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isNotZero();
        return output;
    }

    private static String[] helm(String values) {
        String helm = DebianTool.ifInstalled("helm").toString();
        return new String[] {helm, "template", "plumbline", CHART.toString(), "--kube-version=1.31.0", "--set=" + values
        };
    }

    private static List<String> checksums(String manifests) {
        return Pattern.compile("checksum/secret: \\w+")
                .matcher(manifests)
                .results()
                .map(match -> match.group())
                .toList();
    }

    /** The environment of the only container. Values of other sources are replaced by valid ones. */
    private static Map<String, String> environment(Map<String, Object> pod) {
        Map<String, String> environment = new TreeMap<>();
        Map<String, Object> container = cast(((List<?>) pod.get("containers")).get(0));
        for (Object item : (List<?>) container.get("env")) {
            Map<String, Object> variable = cast(item);
            String source = String.valueOf(variable.get("valueFrom"));
            if (variable.containsKey("value")) {
                environment.put(
                        variable.get("name").toString(), variable.get("value").toString());
            } else if (source.contains("status.podIP")) {
                environment.put(variable.get("name").toString(), "10.0.0.3");
            } else if (!source.contains("optional=true")) {
                environment.put(
                        variable.get("name").toString(),
                        source.contains("database-url")
                                ? "postgresql://plumbline:secret@db/plumbline"
                                : SECRETS.get("SESSION_SECRET"));
            }
        }
        return environment;
    }

    /** The longest regular shutdown, in seconds. */
    private static long drain(Config config) {
        return config.http()
                .shutdownDelay()
                .plus(config.http().shutdownTimeout())
                .toSeconds();
    }

    private static long seconds(Object duration) {
        return Duration.parse("PT" + duration).toSeconds();
    }

    /** Replaces variables as Compose does. */
    private static String interpolate(String text) {
        return VARIABLE.matcher(text).replaceAll(match -> {
            String value = SECRETS.get(match.group(1));
            return value != null ? value : "-".equals(match.group(2)) ? match.group(3) : "";
        });
    }

    private static String address(Map<String, Object> service, String network) {
        return map(map(service, "networks"), network).get("ipv4_address").toString();
    }

    private static List<String> settings(Map<String, Object> tree, String prefix) {
        List<String> names = new ArrayList<>();
        tree.forEach((key, value) -> {
            if (value instanceof Map<?, ?> branch) {
                names.addAll(settings(cast(branch), prefix + key + "."));
            } else {
                names.add(prefix + key);
            }
        });
        return names;
    }

    private static Map<String, Object> yaml(Path file) throws IOException {
        return cast(parser().load(Files.readString(file)));
    }

    private static Yaml parser() {
        return new Yaml(new SafeConstructor(new LoaderOptions()));
    }

    private static Map<String, Object> map(Map<String, Object> parent, String key) {
        assertThat(parent).containsKey(key);
        return cast(parent.get(key));
    }

    private static Map<String, Object> cast(Object value) {
        Map<String, Object> map = new LinkedHashMap<>();
        ((Map<?, ?>) value).forEach((key, child) -> map.put(key.toString(), child));
        return map;
    }

    /** Runs a command; it must succeed. Returns stdout and stderr. */
    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
