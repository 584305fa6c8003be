package dev.plumbline.http.api.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.egress.OwnEndpoints;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Verdict;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.run.TestRunners;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.spreadsheet.LineColumns;
import dev.plumbline.support.Await;
import dev.plumbline.support.Canary;
import dev.plumbline.target.InputType;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The requirements for every module. New modules are included automatically. */
class ModuleContractTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();

    /**
     * Names of durations, of values that follow from the time, of the size and version of content, and of other values
     * that connections to one target differ in.
     */
    private static final Pattern CHANGING =
            Pattern.compile(".*_ms|checked_at|days_remaining|(age|ttl)(_.*)?|content_length|etag|last_modified"
                    + "|action|banner|headline|ip|message");

    private static final Set<String> CATEGORIES = Set.of("web", "tls", "dns", "mail", "registry", "network");

    /** The modules about reachability: a connection failure is their verdict {@code fail}. */
    private static final Set<String> ABOUT_REACHABILITY =
            Set.of("http-status", "ssl-certificate", "starttls-certificate", "smtp", "tcp-port", "websocket");

    @TempDir
    static Path folder;

    private static Vertx vertx;
    private static ServerSocket silent;
    private static DatagramSocket silentResolver;
    private static int refusing;

    /** More than the checks of all modules need to start on a busy machine with cold code. */
    private static final long MIN_TIMEOUT_MS = 7_000;

    /** The time between two timeouts, because a late evaluation of one check would delay the next timeout. */
    private static final long TIMEOUT_INTERVAL_MS = 250;

    private static final long START_INTERVAL_MS = 100;

    private static Map<String, Future<CheckResult>> silentResults;
    private static Map<String, Future<CheckResult>> refusedResults;

    @BeforeAll
    static void start() throws IOException {
        vertx = Vertx.vertx();
        Files.writeString(
                folder.resolve("payloads.json"),
                "{\"roas\":[{\"asn\":64496,\"prefix\":\"192.0.2.0/24\",\"maxLength\":24}]}");
        // the kernel accepts connections, and nothing is ever sent
        silent = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
        silentResolver = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        refusing = FreePorts.next();
        silentResults = startAll(
                silent.getLocalPort(),
                true,
                open("PLUMBLINE_DNS_SERVERS", "127.0.0.1:" + silentResolver.getLocalPort()));
        refusedResults = startAll(refusing, false, open("PLUMBLINE_DNS_TIMEOUT", "400ms"));
    }

    /** Starts a check of each module. They overlap, because most of them wait for a timeout. */
    private static Map<String, Future<CheckResult>> startAll(int port, boolean timeouts, Map<String, String> settings) {
        Map<String, Future<CheckResult>> results = new TreeMap<>();
        modules().forEach(name -> {
            int number = results.size();
            Map<String, Object> options = timeouts
                    ? Map.of("timeout_ms", MIN_TIMEOUT_MS + number * (TIMEOUT_INTERVAL_MS - START_INTERVAL_MS))
                    : Map.of();
            results.put(
                    name,
                    vertx.timer(1 + START_INTERVAL_MS * number, TimeUnit.MILLISECONDS)
                            .compose(due -> start(name, port, options, settings)));
        });
        return results;
    }

    @AfterAll
    static void stop() throws IOException {
        silent.close();
        silentResolver.close();
        Await.value(vertx.close());
    }

    static Stream<String> modules() {
        return MODULES.descriptions().stream().map(ModuleDescription::module);
    }

    @ParameterizedTest
    @MethodSource("modules")
    void moduleHasDescription(String name) {
        ModuleDescription module = description(name);

        assertThat(name).matches("[a-z0-9]+(-[a-z0-9]+)*");
        assertThat(module.title()).isNotBlank();
        assertThat(module.summary()).isNotBlank().endsWith(".");
        assertThat(CATEGORIES).contains(module.category());
        assertThat(module.reachability()).isEqualTo(ABOUT_REACHABILITY.contains(name));
        assertThat(module.options())
                .extracting(OptionDescription::name)
                .contains("timeout_ms")
                // parameters of requests and jobs
                .doesNotContain("fresh", "policy", "expect");
        for (OptionDescription option : module.options()) {
            assertThat(option.name()).matches("[a-z0-9]+(_[a-z0-9]+)*");
            assertThat(option.title()).as(option.name()).isNotBlank();
            assertThat(option.description()).as(option.name()).isNotBlank();
            if (option.type() == OptionDescription.Type.STRING
                    && option.values().isEmpty()) {
                assertThat(option.pattern()).as(option.name()).isNotNull();
                assertThat(option.maxLength()).as(option.name()).isPositive();
            }
            if (option.type() == OptionDescription.Type.ARRAY) {
                assertThat(option.maxItems()).as(option.name()).isBetween(1, 20);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modules")
    void fieldsAndFindingsAreDescribed(String name) {
        ModuleDescription module = description(name);

        Set<String> fields = new HashSet<>();
        for (FieldDescription field : module.fields()) {
            assertThat(fields.add(field.name()))
                    .as(field.name() + " is declared once")
                    .isTrue();
            assertThat(LineColumns.OF_JOB).as("columns that every CSV has").doesNotContain(field.name());
            assertDescribed(field);
        }
        Set<String> codes = new HashSet<>();
        for (FindingCode finding : module.findings()) {
            assertThat(codes.add(finding.code()))
                    .as(finding.code() + " is declared once")
                    .isTrue();
            assertThat(finding.code()).matches("[a-z0-9]+(_[a-z0-9]+)*");
            assertThat(finding.message()).as(finding.code()).isNotBlank();
            assertThat(finding.action()).as(finding.code()).isNotNull();
            if (finding.field() != null) {
                assertThat(fields).as(finding.code()).contains(finding.field());
            }
        }
    }

    private static void assertDescribed(FieldDescription field) {
        assertThat(field.name()).matches("[a-z0-9]+(_[a-z0-9]+)*");
        assertThat(field.title()).as(field.name()).isNotBlank();
        assertThat(field.description()).as(field.name()).isNotBlank();
        if (field.type() == FieldType.INTEGER || field.type() == FieldType.NUMBER) {
            assertThat(field.name())
                    .as("times name their unit")
                    .doesNotEndWith("_time")
                    .isNotEqualTo("time");
        }
        field.members().forEach(ModuleContractTest::assertDescribed);
    }

    @ParameterizedTest
    @MethodSource("modules")
    void fieldsThatChangeWithoutTheTargetAreVolatile(String name) {
        assertVolatile(name, description(name).fields());
    }

    private static void assertVolatile(String path, List<FieldDescription> fields) {
        for (FieldDescription field : fields) {
            String member = path + "." + field.name();
            if (CHANGING.matcher(field.name()).matches()) {
                assertThat(field.isVolatile()).as(member).isTrue();
            }
            if (field.isVolatile()) {
                assertThat(field.members()).as(member).isEmpty();
                assertThat(field.volatileMembers()).as(member).isEmpty();
            } else {
                assertVolatile(member, field.members());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modules")
    void exampleIsAllowedTarget(String name) throws Exception {
        ModuleDescription module = description(name);

        Target example = TargetParser.parse(module, module.example());

        assertThat(equipment(Map.of()).policy().refusal(example)).isNull();
    }

    @Tag("integration")
    @ParameterizedTest
    @MethodSource("modules")
    void silentPeerEndsWithinDeadline(String name) {
        CheckResult result = Await.value(silentResults.get(name));

        if (name.equals("tcp-port")) {
            // an open port is a complete result
            assertThat(result.fields()).containsEntry("open", true);
        } else if (description(name).composite()) {
            // parts that wait for others do not end before the time limit
            assertThat(result.error().code()).isIn(ErrorCode.DEADLINE_EXCEEDED, ErrorCode.DNS_TIMEOUT);
            assertThat(result.cacheable()).isEqualTo(result.error().code() == ErrorCode.DNS_TIMEOUT);
        } else {
            assertThat(result.error()).isNotNull();
            assertThat(result.error().code()).isNotIn(ErrorCode.INTERNAL, ErrorCode.DEADLINE_EXCEEDED);
        }
        assertMatchesSchema(name, result);
    }

    @ParameterizedTest
    @MethodSource("modules")
    void refusedConnectionIsReported(String name) {
        CheckResult result = Await.value(refusedResults.get(name));

        if (isAName(name)) {
            assertThat(result.error().code())
                    .isIn(ErrorCode.DNS_SERVFAIL, ErrorCode.DNS_TIMEOUT, ErrorCode.REGISTRY_UNAVAILABLE);
        } else {
            assertThat(result.error().code()).isEqualTo(ErrorCode.CONNECT_REFUSED);
        }
        assertThat(result.verdict()).isEqualTo(ABOUT_REACHABILITY.contains(name) ? Verdict.FAIL : Verdict.ERROR);
        assertMatchesSchema(name, result);
    }

    @ParameterizedTest
    @MethodSource("modules")
    void allConnectionsUseEgressGuard(String name) {
        Canary canary = Await.value(Canary.listen(vertx, "127.0.0.1", 0));
        CheckResult result;
        try (DnsLab inside = DnsLab.start()) {
            inside.address(exampleHost(name), "127.0.0.1");
            for (String registry : List.of("rdap.verisign.com", "whois.iana.org", "rdap.arin.net")) {
                inside.address(registry, "127.0.0.1");
            }
            inside.record("8.8.8.8.in-addr.arpa. 60 IN PTR host.office.internal.");
            if (description(name).input() == InputType.DOMAIN) {
                publishInternalRecords(inside, exampleHost(name));
            }

            result = Await.value(
                    start(name, canary.port(), Map.of(), Map.of("PLUMBLINE_DNS_SERVERS", inside.address())));
        }

        // parts about DNS records do not connect to the target
        if (!description(name).composite()) {
            assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
            assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        }
        assertThat(canary.connections()).isZero();
        assertThat(result.toString()).doesNotContain("office", "internal-");
        assertMatchesSchema(name, result);
    }

    /** The records of a split-horizon name, which only an internal resolver returns. */
    private static void publishInternalRecords(DnsLab inside, String domain) {
        inside.record(domain + ". 60 IN MX 10 mail.office.test.")
                .record(domain + ". 60 IN NS ns.office.test.")
                .record(domain + ". 60 IN SOA ns.office.test. internal-contact.office.test. 1 14400 3600 1209600 3600")
                .record(domain + ". 60 IN CAA 0 issue \"office.test\"")
                .record(domain + ". 60 IN TXT \"v=spf1 include:office.test -all\"")
                .record("_dmarc." + domain + ". 60 IN TXT \"v=DMARC1\\; p=none\\; rua=mailto:internal-a@office.test\"")
                .record("_smtp._tls." + domain + ". 60 IN TXT \"v=TLSRPTv1\\; rua=mailto:internal-b@office.test\"")
                .record("_mta-sts." + domain + ". 60 IN TXT \"v=STSv1\\; id=internal-1\"")
                .record("default._bimi." + domain + ". 60 IN TXT \"v=BIMI1\\; l=https://office.test/logo.svg\"")
                .record("default._domainkey." + domain + ". 60 IN TXT \"v=DKIM1\\; p=internal-key\"");
    }

    /** @return the host of the example; the domain of an e-mail address */
    private static String exampleHost(String name) {
        String example = description(name).example();
        return switch (description(name).input()) {
            case EMAIL -> example.substring(example.indexOf('@') + 1);
            case HOST_PORT -> example.split(":")[0];
            default -> example;
        };
    }

    private static void assertMatchesSchema(String name, CheckResult result) {
        ResultContract.assertHolds(description(name), result);
    }

    private static Future<CheckResult> start(
            String name, int port, Map<String, Object> options, Map<String, String> settings) {
        ModuleDescription module = description(name);
        String target =
                switch (module.input()) {
                    case URL -> module.schemes().get(0) + "://127.0.0.1:" + port + "/";
                    case HOST_PORT -> name.equals("dane-tlsa") ? module.example() : "127.0.0.1:" + port;
                    case HOST -> "127.0.0.1";
                    case DOMAIN, EMAIL, IP -> module.example();
                };
        Message.RunCheck check = new Message.RunCheck(name, normalised(module, target), options, false, 1, "t");
        return vertx.executeBlocking(() -> equipment(settings))
                .compose(environment -> TestRunners.run(
                        TestRunners.builder(vertx, MODULES)
                                .environment(environment)
                                .build(),
                        check));
    }

    private static String normalised(ModuleDescription module, String target) {
        try {
            return TargetParser.parse(module, target).text();
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(target, invalid);
        }
    }

    /** Whether the module needs DNS for its example. */
    private static boolean isAName(String module) {
        InputType input = description(module).input();
        return input == InputType.DOMAIN
                || input == InputType.EMAIL
                || input == InputType.IP
                || List.of("dane-tlsa", "dnsbl").contains(module);
    }

    private static Map<String, String> open(String setting, String value) {
        return Map.of("PLUMBLINE_TARGETS_ALLOW", "127.0.0.0/8", setting, value);
    }

    private static CheckEnvironment equipment(Map<String, String> settings) {
        Map<String, String> environment = new TreeMap<>(settings);
        environment.put("PLUMBLINE_TARGETS_PORTS", "*");
        environment.put("PLUMBLINE_DNSBL_ZONES", "bl.example");
        environment.put(
                "PLUMBLINE_RPKI_VALIDATOR", folder.resolve("payloads.json").toString());
        // an unreachable resolver prevents external queries
        environment.putIfAbsent("PLUMBLINE_DNS_SERVERS", "127.0.0.1:" + refusing);
        try {
            Config config = ConfigLoader.load(null, environment);
            return CheckEnvironment.of(
                    vertx,
                    config,
                    CheckEnvironment.policy(config, new OwnEndpoints()),
                    RateLimiterFactory.local(vertx),
                    "test");
        } catch (ConfigException wrong) {
            throw new AssertionError(wrong);
        }
    }

    private static ModuleDescription description(String name) {
        return MODULES.find(name).description();
    }
}
