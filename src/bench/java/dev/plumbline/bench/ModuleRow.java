package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Bulk jobs of one module, from the first POST to the last stored result, in lines per second. */
final class ModuleRow implements Row {
    private static final int MIN_JOBS = 2;
    private static final int MAX_JOBS = 80;
    private static final int COMPOSITE_LINES = 50;

    /** The minimum ratio of the rate to that of the baseline. */
    static final double MIN_BASELINE_RATIO = 0.97;

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final String module;
    private final String variant;
    private final Targets targets;
    private final @Nullable Peer peer;
    private final int jobLines;
    private int lists;

    /** Creates a target from a unique name. */
    interface Targets {
        String of(BenchStage stage, String name) throws IOException, InterruptedException;
    }

    /** Finds a reference program. */
    interface Tool {
        ListTool on(BenchStage stage) throws IOException, InterruptedException;
    }

    /**
     * The reference program.
     *
     * @param goal minimum ratio of the rates
     * @param maxJobs the maximum number of jobs in a round
     */
    record Peer(String name, Tool tool, double goal, int maxJobs) {
        Peer(String name, Tool tool, double goal) {
            this(name, tool, goal, MAX_JOBS);
        }
    }

    private record Lap(double rate, long wrong, double cpuMicros, double databaseMicros) {}

    ModuleRow(String module, Targets targets) {
        this(module, targets, null);
    }

    ModuleRow(String module, Targets targets, @Nullable Peer peer) {
        this(module, "", targets, peer, JobsClient.MAX_LINES);
    }

    private ModuleRow(String module, String variant, Targets targets, @Nullable Peer peer, int jobLines) {
        this.module = module;
        this.variant = variant;
        this.targets = targets;
        this.peer = peer;
        this.jobLines = jobLines;
    }

    /** A row of a composite module, with shorter jobs. */
    static ModuleRow ofComposite(String module, Targets targets) {
        return new ModuleRow(module, "", targets, null, COMPOSITE_LINES);
    }

    /** The row {@code bulk-ssl-certificate-SIGNER}: a distinct certificate for each line. */
    static ModuleRow ofDistinctCertificates(TestCertificate.Signer signer) {
        return new ModuleRow(
                "ssl-certificate",
                "-" + signer.name().toLowerCase(Locale.ROOT),
                distinctCertificates(signer),
                null,
                JobsClient.MAX_LINES);
    }

    /** Pages of the nginx of the benchmark below this path. */
    static Targets pages(boolean tls, String below) {
        return (stage, name) -> stage.nginx().site(tls) + below + name;
    }

    static Targets names() {
        return (stage, name) -> name + "." + TargetNames.ZONE;
    }

    static Targets signedNames() {
        return (stage, name) -> name + "." + TargetNames.SIGNED;
    }

    /** The nginx of the benchmark, with many names in a signed zone. */
    static Targets signedServers() {
        return (stage, name) ->
                name + "." + TargetNames.SIGNED + ":" + stage.nginx().httpsPort();
    }

    /**
     * The nginx of the benchmark with a distinct certificate for each name. Each is used once, because the service
     * remembers signatures.
     */
    static Targets distinctCertificates(TestCertificate.Signer signer) {
        AtomicInteger next = new AtomicInteger();
        return (stage, name) -> {
            String host = TargetNames.distinct(signer, next.getAndIncrement());
            stage.nginx().certificates().writeDistinct(signer, host);
            return host + ":" + stage.nginx().distinctPort();
        };
    }

    /** The nginx of the benchmark, with many names. */
    static Targets servers() {
        return (stage, name) ->
                name + "." + TargetNames.ZONE + ":" + stage.nginx().httpsPort();
    }

    /** The nginx of the benchmark at many addresses, in turn. */
    static Targets serverAddresses() {
        Targets addresses = addresses("127.101");
        return (stage, name) -> addresses.of(stage, name) + ":" + stage.nginx().httpsPort();
    }

    /** Pages of the site with HTTP/2, compression and larger pages. */
    static Targets site(String before, String after) {
        return (stage, name) -> stage.nginx().pages() + before + name + after;
    }

    /** Names of the same site on the default ports. */
    static Targets domains() {
        return (stage, name) -> {
            stage.nginx().requireDomains();
            return name + "." + TargetNames.SITES;
        };
    }

    /** Names whose nameservers are queried directly. */
    static Targets delegated() {
        return (stage, name) -> {
            stage.names().requireServers();
            return name + "." + TargetNames.ZONE;
        };
    }

    /** Domains with mail and a website, in turn. */
    static Targets mailDomains(String before) {
        AtomicInteger next = new AtomicInteger();
        return (stage, name) -> {
            stage.nginx().requireDomains();
            stage.names().requireServers();
            stage.servers().requireSmtp();
            return before + next.getAndIncrement() % TargetNames.DOMAIN_COUNT + "." + TargetNames.DOMAINS;
        };
    }

    /** Websites with IPv6, in turn. */
    static Targets dualSites() {
        Targets domains = mailDomains("v6-");
        return (stage, name) -> {
            stage.nginx().requireIpv6();
            return domains.of(stage, name);
        };
    }

    /**
     * Addresses, in turn.
     *
     * @param network the first two numbers
     */
    static Targets addresses(String network) {
        AtomicInteger next = new AtomicInteger();
        return (stage, name) -> {
            int i = next.getAndIncrement() % TargetNames.ADDRESS_COUNT;
            return network + "." + (i >> 8) + "." + (i & 255);
        };
    }

    /** The WebSocket server behind the nginx of the benchmark. */
    static Targets sockets() {
        return (stage, name) -> {
            stage.servers();
            return stage.nginx().sockets() + "/socket/" + name;
        };
    }

    /** The mail server of the benchmark, with many names. */
    static Targets mailServers() {
        return (stage, name) ->
                name + "." + TargetNames.ZONE + ":" + stage.servers().mailPort();
    }

    @Override
    public String id() {
        return "bulk-" + module + variant + (peer == null ? "" : "-" + peer.name);
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        ListTool tool = peer == null ? null : peer.tool.on(stage);
        ServiceUnderLoad service = stage.resolving();
        JobsClient client = new JobsClient(service, service.tenants().newKey());
        BenchOptions options = stage.options();
        int jobs = warmUp(stage, service, client);
        Reference reference = null;
        if (tool != null) {
            reference = count -> theirs(tool, list(stage, count));
            // reads the program into memory
            reference.lap(MIN_JOBS);
        } else if (options.baseline() != null) {
            ServiceUnderLoad baseline = stage.baseline();
            JobsClient baselineClient =
                    new JobsClient(baseline, baseline.tenants().newKey());
            jobs = Math.min(jobs, warmUp(stage, baseline, baselineClient));
            reference = count -> lap(stage, baseline, baselineClient, count);
        }
        List<Lap> laps = new ArrayList<>();
        List<Lap> theirs = new ArrayList<>();
        for (int round = 1; round <= options.rounds(); round++) {
            Lap lap = lap(stage, service, client, jobs);
            laps.add(lap);
            report(round, lap);
            if (reference != null) {
                Lap other = reference.lap(jobs);
                theirs.add(other);
                report(round, other);
            }
        }
        return List.of(line(laps, theirs, jobs * jobLines));
    }

    /** The side to compare with: a reference program, or the service from the jar of the baseline. */
    private interface Reference {
        Lap lap(int jobs) throws IOException, InterruptedException;
    }

    /** Returns the number of jobs for a round. */
    private int warmUp(BenchStage stage, ServiceUnderLoad service, JobsClient client)
            throws IOException, InterruptedException {
        BenchOptions options = stage.options();
        int jobs = MIN_JOBS;
        int maxJobs = peer == null ? MAX_JOBS : peer.maxJobs;
        Warmup warmup = new Warmup(service.process(), options);
        do {
            double wanted =
                    lap(stage, service, client, jobs).rate * options.round().toSeconds() / jobLines;
            jobs = (int) Math.max(MIN_JOBS, Math.min(maxJobs, Math.ceil(wanted)));
        } while (!warmup.isOver());
        return jobs;
    }

    private void report(int round, Lap lap) {
        System.out.printf(
                Locale.ROOT,
                "  %s, round %d: %,.0f/s (%.0f + %.0f µs); errors %d%n",
                id(),
                round,
                lap.rate,
                lap.cpuMicros,
                lap.databaseMicros,
                lap.wrong);
    }

    private List<String> list(BenchStage stage, int jobs) throws IOException, InterruptedException {
        String before = "n" + ++lists + "-";
        List<String> list = new ArrayList<>();
        for (int i = 0; i < jobs * jobLines; i++) {
            list.add(targets.of(stage, before + i));
        }
        return list;
    }

    private static Lap theirs(ListTool tool, List<String> list) throws IOException, InterruptedException {
        ListTool.Run run = tool.check(list);
        return new Lap(
                run.right() / run.program().seconds(),
                list.size() - run.right(),
                run.program().cpuMillis() * 1e3 / list.size(),
                0);
    }

    private Lap lap(BenchStage stage, ServiceUnderLoad service, JobsClient client, int jobs)
            throws IOException, InterruptedException {
        List<String> list = list(stage, jobs);
        List<String> bodies = JobsClient.bodies(module, list, new JsonObject().put("fresh", true));
        long cpu = service.process().cpuMillis();
        long databaseCpu = service.postgres().cpuMillis();
        Instant began = Instant.now();
        Instant ended = began;
        int wrong = 0;
        for (String token : client.createAll(bodies)) {
            JsonObject job = client.awaitEnd(token, TIMEOUT);
            Instant finished = JobsClient.finishedAt(job);
            ended = finished.isAfter(ended) ? finished : ended;
            int errors = job.getJsonObject("counts").getInteger("error");
            if (errors > 0) {
                System.out.println("  " + errors + " errors, for example " + client.firstError(token));
            }
            wrong += errors;
        }
        return new Lap(
                (list.size() - wrong) / (Duration.between(began, ended).toNanos() / 1e9),
                wrong,
                (service.process().cpuMillis() - cpu) * 1e3 / list.size(),
                (service.postgres().cpuMillis() - databaseCpu) * 1e3 / list.size());
    }

    private BulkLine line(List<Lap> laps, List<Lap> theirs, int lines) {
        String rate = Distribution.of(laps.stream().map(Lap::rate).toList()).text(0) + " lines/s";
        String cost = String.format(
                Locale.ROOT,
                "%.0f µs CPU + %.0f in PostgreSQL",
                median(laps, Lap::cpuMicros),
                median(laps, Lap::databaseMicros));
        String errors = String.format(
                Locale.ROOT, "%,d errors of %,d lines in each of %d rounds", wrong(laps), lines, laps.size());
        if (theirs.isEmpty()) {
            return new BulkLine("Bulk " + module + variant, rate, cost, "", "", errors);
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < laps.size(); i++) {
            ratios.add(laps.get(i).rate / theirs.get(i).rate);
        }
        Distribution ratio = Distribution.of(ratios);
        return new BulkLine(
                "Bulk " + module + variant + " ÷ " + (peer == null ? "baseline" : peer.name),
                ratio.text(2),
                rate + ", " + cost,
                String.format(
                        Locale.ROOT,
                        "%s/s, %.0f µs CPU",
                        Distribution.of(theirs.stream().map(Lap::rate).toList()).text(0),
                        median(theirs, Lap::cpuMicros)),
                BulkLine.atLeast(peer == null ? MIN_BASELINE_RATIO : peer.goal, ratio.median()),
                errors + "; reference " + String.format(Locale.ROOT, "%,d", wrong(theirs)));
    }

    private static double median(List<Lap> laps, ToDoubleFunction<Lap> figure) {
        return Distribution.of(laps.stream().mapToDouble(figure).boxed().toList())
                .median();
    }

    private static long wrong(List<Lap> laps) {
        return laps.stream().mapToLong(Lap::wrong).sum();
    }
}
