package dev.plumbline.bench.micro;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The computation of a fresh check without I/O. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init")
public class PureParts {
    private static final Map<String, String> GIVEN =
            Map.of("method", "get", "max_redirects", "3", "verify_tls", "false");

    private ModuleDescription httpStatus;
    private TargetPolicy policy;
    private InetAddress publicV4;
    private InetAddress mappedV6;
    private CheckResult result;

    @Setup
    public void prepare() throws UnknownHostException {
        ModuleDefinition<?> module =
                Objects.requireNonNull(ModuleCatalogue.load().find("http-status"), "http-status");
        httpStatus = module.description();
        policy = new TargetPolicy(
                new TargetPolicy.Rules(
                        List.of("198.18.0.0/15"),
                        List.of("192.0.2.0/24", "example.org"),
                        List.of(),
                        List.of("80", "443", "8000-8100")),
                (address, port) -> false);
        publicV4 = InetAddress.getByName("93.184.215.14");
        mappedV6 = InetAddress.getByName("64:ff9b::5db8:d70e");
        result = result();
    }

    @Benchmark
    public Target parseUrl() throws InvalidTargetException {
        return TargetParser.parse(httpStatus, "https://www.example.com/a/path?with=a&query=1");
    }

    @Benchmark
    public Target parseInternationalUrl() throws InvalidTargetException {
        return TargetParser.parse(httpStatus, "https://www.BÜCHER.example/straße?q=ü");
    }

    @Benchmark
    public @Nullable String classifyAddressIpv4() {
        return policy.refusalOf(publicV4, 443);
    }

    @Benchmark
    public @Nullable String classifyAddressNat64() {
        return policy.refusalOf(mappedV6, 443);
    }

    @Benchmark
    public byte[] writeResult() {
        return ResultJson.write(result);
    }

    @Benchmark
    public Options.Parsed parseNoOptions() {
        return Options.parse(httpStatus, Map.of());
    }

    @Benchmark
    public Options.Parsed parseThreeOptions() {
        return Options.parse(httpStatus, GIVEN);
    }

    /** A result with a value of the correct type for each field of the module. */
    private CheckResult result() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (FieldDescription field : httpStatus.fields()) {
            fields.put(field.name(), valueOf(field.type()));
        }
        return new CheckResult(
                httpStatus.module(),
                httpStatus.rules(),
                "https://www.example.com/a/path?with=a&query=1",
                Verdict.PASS,
                fields,
                List.of(),
                List.of(),
                null,
                Instant.parse("2026-11-20T10:00:00.123Z"),
                84);
    }

    private static Object valueOf(FieldType type) {
        return switch (type) {
            case STRING -> "text/html; charset=utf-8";
            case INTEGER -> 1234L;
            case NUMBER -> 12.5;
            case BOOLEAN -> true;
            case TIME -> Instant.parse("2026-11-20T10:00:00.123Z");
            case ARRAY -> List.of(Map.of("url", "https://example.com/", "status", 301L));
            case OBJECT -> Map.of("name", "value");
        };
    }
}
