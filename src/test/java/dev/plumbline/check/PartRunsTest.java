package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Verdict;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartRunsTest {
    private static final List<CompositePart> PARTS = ModuleCatalogue.load().parts("overview");

    private static final Map<String, Object> MAIL_SERVER =
            Map.of("records", List.of(Map.of("preference", 10, "host", "mx.example.com", "ips", List.of())));

    private final List<String> started = new ArrayList<>();

    /** The parts that the test ends, by module. */
    private final Map<String, Promise<PartResult>> running = new HashMap<>();

    private static CheckContext context(Function<CompositePart, Future<PartResult>> check) {
        CheckContext base = TestCheckContext.create();
        return (CheckContext) Proxy.newProxyInstance(
                CheckContext.class.getClassLoader(),
                new Class<?>[] {CheckContext.class},
                (self, method, arguments) -> method.getName().equals("check")
                        ? check.apply((CompositePart) arguments[0])
                        : method.invoke(base, arguments));
    }

    private static PartResult refused(CompositePart part) {
        CheckError error = new CheckError(ErrorCode.CONNECT_REFUSED, "Refused.");
        return new PartResult(
                part, "example.com", ResultAssembler.withoutTarget(part.module(), error, Instant.EPOCH), null);
    }

    /** They would be the last ones to receive permits of the target and requests of the composite. */
    @Test
    void startsThePartsOnWhichOthersDependFirst() {
        List<PartResult> results = Await.value(PartRuns.runAll(
                context(part -> {
                    started.add(part.module().module());
                    return Future.succeededFuture(refused(part));
                }),
                "example.com",
                PARTS));

        assertThat(started).startsWith("mx", "http-status", "ssl-certificate").doesNotHaveDuplicates();
        assertThat(results)
                .extracting(PartResult::module)
                .containsExactlyElementsOf(
                        PARTS.stream().map(part -> part.module().module()).toList());
    }

    private Future<List<PartResult>> run() {
        List<CompositePart> some = PARTS.stream()
                .filter(part -> Stream.of("http-status", "mta-sts", "mx", "smtp", "smtp-tls", "starttls-certificate")
                        .anyMatch(part.module().module()::equals))
                .toList();
        Future<List<PartResult>> results = PartRuns.runAll(
                context(part -> {
                    Promise<PartResult> promise = Promise.promise();
                    running.put(part.module().module(), promise);
                    return promise.future();
                }),
                "example.com",
                some);
        end("mx", MAIL_SERVER, null);
        return results;
    }

    private void end(String module, Map<String, @Nullable Object> fields, @Nullable ErrorCode error) {
        CheckResult result = new CheckResult(
                module,
                module + "/1",
                "example.com",
                error == null ? Verdict.PASS : Verdict.ERROR,
                fields,
                List.of(),
                List.of(),
                error == null ? null : new CheckError(error, "Failed."),
                Instant.EPOCH,
                1);
        CompositePart ended = PARTS.stream()
                .filter(part -> part.module().module().equals(module))
                .findFirst()
                .orElseThrow();
        Objects.requireNonNull(running.get(module), module)
                .complete(new PartResult(ended, "mx.example.com", result, null));
    }

    private static List<String> modules(Future<List<PartResult>> results) {
        return results.result().stream().map(PartResult::module).toList();
    }

    @Test
    void scansTheMailServerAfterAllOtherPartsAboutMail() {
        Future<List<PartResult>> results = run();
        end("smtp", Map.of("starttls", true), null);
        end("starttls-certificate", Map.of(), null);
        assertThat(running).doesNotContainKey("smtp-tls");
        end("mta-sts", Map.of(), null);

        assertThat(running).containsKey("smtp-tls");
        end("smtp-tls", Map.of(), null);
        assertThat(results.isComplete()).isFalse();
        end("http-status", Map.of(), null);
        assertThat(modules(results))
                .containsExactly("http-status", "mta-sts", "mx", "smtp", "smtp-tls", "starttls-certificate");
    }

    @Test
    void doesNotScanAMailServerWithoutStarttls() {
        Future<List<PartResult>> results = endOthers(Map.of("starttls", false), null);

        assertThat(running).doesNotContainKey("smtp-tls");
        assertThat(modules(results)).containsExactly("http-status", "mta-sts", "mx", "smtp", "starttls-certificate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONNECT_TIMEOUT", "CONNECT_REFUSED", "DEADLINE_EXCEEDED"})
    void doesNotScanAMailServerThatCannotBeUsed(ErrorCode error) {
        Future<List<PartResult>> results = endOthers(Map.of(), error);

        assertThat(running).doesNotContainKey("smtp-tls");
        PartResult scan = results.result().stream()
                .filter(part -> part.module().equals("smtp-tls"))
                .findFirst()
                .orElseThrow();
        assertThat(scan.target()).isNull();
        assertThat(scan.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(scan.errorCode()).isEqualTo(error);
    }

    private Future<List<PartResult>> endOthers(Map<String, @Nullable Object> smtp, @Nullable ErrorCode error) {
        Future<List<PartResult>> results = run();
        end("smtp", smtp, error);
        Stream.of("starttls-certificate", "mta-sts", "http-status").forEach(module -> end(module, Map.of(), null));
        return results;
    }
}
