import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.doIf;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.feed;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.repeat;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.http.HttpDsl.header;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.Assertion;
import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.CheckBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpRequestActionBuilder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Load test of Plumbline against "plumbline lab". See ../README.md. */
public class PlumblineSimulation extends Simulation {
    private static final String SERVER = variable("PLUMBLINE_SERVER", "http://127.0.0.1:8080");
    private static final String KEY = variable("PLUMBLINE_KEY", "none");
    private static final int LAB = Integer.parseInt(variable("LAB_PORT_BASE", "20000"));
    private static final String WORKLOAD = variable("WORKLOAD", "mixed");
    private static final int RATE = Integer.parseInt(variable("RATE", "50"));
    private static final int DURATION = Integer.parseInt(variable("DURATION", "30"));
    private static final String HTTP = "http://127.0.0.1:" + LAB;
    private static final long RUN = System.currentTimeMillis();
    private static final int LINES = 20;
    private static final int FAILING_LINES = LINES / 4;
    private static final int ATTEMPTS = 3;

    private record Target(String module, String target, String verdict) {}

    private static final List<Target> TARGETS = List.of(
            new Target("http-status", HTTP + "/ok", "pass"),
            new Target("http-status", HTTP + "/status/404", "fail"),
            new Target("http-headers", HTTP + "/headers/framing", "warn"),
            new Target("security-headers", "https://127.0.0.1:" + (LAB + 1) + "/headers/perfect", "pass"),
            new Target("tls-rpt", "policies.lab.test", "pass"));

    private static String variable(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null ? otherwise : value;
    }

    /** The values of each iteration. */
    private static Iterator<Map<String, Object>> iterations() {
        return IntStream.iterate(0, number -> number + 1)
                .mapToObj(number -> {
                    Target cached = TARGETS.get(number % TARGETS.size());
                    String unique = RUN + "-" + number;
                    return Map.<String, Object>of(
                            "number", number,
                            "unique", unique,
                            "module", cached.module,
                            "verdict", cached.verdict,
                            "target", URLEncoder.encode(cached.target, StandardCharsets.UTF_8),
                            "newTarget", URLEncoder.encode(HTTP + "/ok?n=" + unique, StandardCharsets.UTF_8));
                })
                .iterator();
    }

    /**
     * A request whose response must meet the checks. After a 503, it is repeated when Retry-After has passed. The last
     * attempt must not be rejected.
     */
    private static ChainBuilder send(HttpRequestActionBuilder request, int expected, CheckBuilder... checks) {
        HttpRequestActionBuilder accepting = request.check(status().in(expected, 503).saveAs("status"))
                .check(header("Retry-After").optional().saveAs("retryAfter"))
                .checkIf((response, session) -> response.status().code() == expected)
                .then(checks);
        HttpRequestActionBuilder last = request.check(status().is(expected).saveAs("status")).check(checks);
        return exec(session -> session.set("status", 503))
                .exec(repeat(ATTEMPTS - 1)
                        .on(doIf(PlumblineSimulation::isRejected)
                                .then(exec(accepting)
                                        .exitHereIfFailed()
                                        .exec(doIf(PlumblineSimulation::isRejected)
                                                .then(pause(PlumblineSimulation::retryAfter))))))
                .exec(doIf(PlumblineSimulation::isRejected).then(exec(last)))
                .exitHereIfFailed();
    }

    private static boolean isRejected(Session session) {
        return session.getInt("status") == 503;
    }

    private static Duration retryAfter(Session session) {
        String seconds = session.getString("retryAfter");
        return Duration.ofSeconds(seconds == null ? 1 : Long.parseLong(seconds));
    }

    private final ChainBuilder cached = send(
            http("cached").get("/api/v1/instant/#{module}/#{target}"),
            200,
            jsonPath("$.module").isEL("#{module}"),
            jsonPath("$.verdict").isEL("#{verdict}"));

    private final ChainBuilder fresh = send(
            http("fresh").get("/api/v1/instant/http-status/#{newTarget}"),
            200,
            jsonPath("$.verdict").is("pass"),
            jsonPath("$.cached").ofBoolean().is(false));

    /** Each read returns the lines that have finished since the previous one. */
    private final ChainBuilder jobs = exec(session ->
                    session.set("since", "").set("state", "queued").set("pass", 0).set("fail", 0))
            .exec(send(
                    http("create")
                            .post("/api/v1/jobs")
                            .header("Content-Type", "application/json")
                            .header("Idempotency-Key", "#{unique}")
                            .body(StringBody(session -> job(session.getString("unique")))),
                    202,
                    jsonPath("$.counts.total").ofInt().is(LINES),
                    jsonPath("$.token").saveAs("token")))
            .asLongAs(session -> List.of("queued", "running").contains(session.getString("state")))
            .on(send(
                            http("read")
                                    .get("/api/v1/jobs/#{token}?since=#{since}&fields=status")
                                    .header("Prefer", "wait=20"),
                            200,
                            jsonPath("$.results[?(@.verdict=='pass')]").count().saveAs("morePass"),
                            jsonPath("$.results[?(@.verdict=='fail')]").count().saveAs("moreFail"),
                            jsonPath("$.since").saveAs("since"),
                            jsonPath("$.state").saveAs("state"),
                            header("Preference-Applied").optional().saveAs("applied"))
                    .exec(session -> session.set("pass", session.getInt("pass") + session.getInt("morePass"))
                            .set("fail", session.getInt("fail") + session.getInt("moreFail")))
                    // too many requests of this key wait already
                    .exec(doIf(session -> !session.contains("applied") && session.contains("retryAfter"))
                            .then(pause(PlumblineSimulation::retryAfter)))
                    .exec(session -> session.remove("applied").remove("retryAfter")))
            .exec(send(
                    http("result").get("/api/v1/jobs/#{token}?results=false"),
                    200,
                    jsonPath("$.state").is("completed"),
                    jsonPath("$.counts.pass")
                            .ofInt()
                            .transformWithSession((stored, session) -> stored == session.getInt("pass") ? stored : -1)
                            .is(LINES - FAILING_LINES),
                    jsonPath("$.counts.fail")
                            .ofInt()
                            .transformWithSession((stored, session) -> stored == session.getInt("fail") ? stored : -1)
                            .is(FAILING_LINES)));

    private static String job(String unique) {
        return IntStream.range(0, LINES)
                .mapToObj(line -> "\"%s%s?job=%s&line=%d\""
                        .formatted(HTTP, line % 4 == 3 ? "/status/404" : "/ok", unique, line))
                .collect(Collectors.joining(",", "{\"module\":\"http-status\",\"items\":[", "]}"));
    }

    private ChainBuilder workload() {
        return switch (WORKLOAD) {
            case "cached" -> cached;
            case "fresh" -> fresh;
            case "jobs" -> jobs;
            default -> doIf(session -> session.getInt("number") % 100 == 0)
                    .then(jobs)
                    .doIf(session -> session.getInt("number") % 100 > 0 && session.getInt("number") % 100 < 10)
                    .then(fresh)
                    .doIf(session -> session.getInt("number") % 100 >= 10)
                    .then(cached);
        };
    }

    private static List<Assertion> thresholds() {
        List<Assertion> thresholds = new ArrayList<>(List.of(
                global().failedRequests().count().is(0L), global().allRequests().count().gt(0L)));
        Map.of("cached", 100, "fresh", 1_000).forEach((name, limit) -> {
            if (WORKLOAD.equals(name) || WORKLOAD.equals("mixed")) {
                int max = Integer.parseInt(variable("MAX_P99_MS", Integer.toString(limit)));
                thresholds.add(details(name).responseTime().percentile(99).lt(max));
            }
        });
        return thresholds;
    }

    public PlumblineSimulation() {
        setUp(scenario(WORKLOAD)
                        .exec(feed(iterations()))
                        .exec(workload())
                        .injectOpen(constantUsersPerSec(RATE).during(DURATION)))
                .protocols(http.baseUrl(SERVER)
                        .header("X-Api-Key", KEY)
                        .disableUrlEncoding()
                        .shareConnections())
                .assertions(thresholds());
    }
}
