package dev.plumbline.support;

import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.target.InputType;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;

/** Builds a check context for tests. */
public final class TestCheckContext implements CheckContext {
    private static final ModuleDescription ANY = ModuleDescriptionBuilder.of("any", "Any", InputType.HOST_PORT)
            .connects()
            .build();

    private final Options options;
    private final Deadline deadline;
    private final Clock clock;
    private final RequestBudget budget;
    private final Map<Class<?>, Object> probes;
    private int requests = RequestBudget.MAX;
    private long patienceMs = Long.MAX_VALUE;
    private long account;
    private MemoryHolder memory = MemoryHolder.unlimited();

    private TestCheckContext(
            Options options, Deadline deadline, Clock clock, RequestBudget budget, Map<Class<?>, Object> probes) {
        this.options = options;
        this.deadline = deadline;
        this.clock = clock;
        this.budget = budget;
        this.probes = probes;
    }

    /** A context with a deadline of ten seconds and the common options. */
    public static TestCheckContext create() {
        return of(Options.defaults(ANY));
    }

    public static TestCheckContext of(Options options) {
        return new TestCheckContext(options, Deadline.in(10_000), Clock.systemUTC(), new RequestBudget(), Map.of());
    }

    /** A context for a module, with options from a query string. */
    public static TestCheckContext of(ModuleDescription module, Map<String, ?> options) {
        Options.Parsed parsed = Options.parse(module, options);
        if (parsed.options() == null) {
            throw new IllegalArgumentException(parsed.faults().toString());
        }
        return of(parsed.options());
    }

    /** A context with a value for the option ip_version. */
    public static TestCheckContext overIp(String version) {
        return of(ANY, Map.of(ModuleDescription.IP_VERSION, version));
    }

    public TestCheckContext withDeadline(long millis) {
        return withDeadline(Deadline.in(millis));
    }

    public TestCheckContext withDeadline(Deadline other) {
        return new TestCheckContext(options, other, clock, new RequestBudget(), probes);
    }

    public TestCheckContext withClock(Clock other) {
        return new TestCheckContext(options, deadline, other, new RequestBudget(), probes);
    }

    /** A context with another request budget, for example that of a part. */
    public TestCheckContext withBudget(RequestBudget other) {
        return new TestCheckContext(options, deadline, clock, other, probes);
    }

    /** A context with a limit of requests. */
    public TestCheckContext withRequests(int most) {
        TestCheckContext limited = new TestCheckContext(options, deadline, clock, new RequestBudget(most), probes);
        limited.requests = most;
        return limited;
    }

    /** A context with a new budget for a check of a host. */
    public TestCheckContext withTarget(Host host) {
        TestCheckContext targeted =
                new TestCheckContext(options, deadline, clock, new RequestBudget(requests, host), probes);
        targeted.requests = requests;
        targeted.patienceMs = patienceMs;
        targeted.account = account;
        return targeted;
    }

    /** Sets the longest wait for a rate limit of a target. */
    public TestCheckContext maxWait(long millis) {
        patienceMs = millis;
        return this;
    }

    /** Makes the check a line of a job. */
    public TestCheckContext account(long owner) {
        account = owner;
        return this;
    }

    /** Limits the memory of the check. */
    public TestCheckContext withMemory(MemoryHolder holder) {
        memory = holder;
        return this;
    }

    @Override
    public MemoryHolder memory() {
        return memory;
    }

    @Override
    public long account() {
        return account;
    }

    public <P> TestCheckContext withProbe(Class<P> type, P probe) {
        Map<Class<?>, Object> more = new HashMap<>(probes);
        more.put(type, probe);
        TestCheckContext extended = new TestCheckContext(options, deadline, clock, budget, more);
        extended.requests = requests;
        return extended;
    }

    @Override
    public Options options() {
        return options;
    }

    @Override
    public Deadline deadline() {
        return deadline;
    }

    @Override
    public long patienceMs() {
        return Math.min(patienceMs, deadline.remainingMillis());
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public RequestBudget budget() {
        return budget;
    }

    @Override
    public <P> P probe(Class<P> type) {
        Object probe = probes.get(type);
        if (probe == null) {
            throw new IllegalArgumentException("no probe " + type.getSimpleName());
        }
        return type.cast(probe);
    }
}
