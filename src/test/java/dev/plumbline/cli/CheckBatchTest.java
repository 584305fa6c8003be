package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.cli.report.ReportFormat;
import dev.plumbline.cli.report.VerdictCounts;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.OutputStream;
import java.io.StringWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckBatchTest {
    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    /** A line of a job ends in the same way. */
    @Tag("integration")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(60)
    void aTargetThatIsAlwaysOverloadedOrPausedIsAnError(boolean overloaded) throws Exception {
        ModuleDescription module = Objects.requireNonNull(
                        ModuleCatalogue.load(List.of(), "http-status"::equals).find("http-status"))
                .description();
        MessageBus bus = MessageBus.of(vertx);
        AtomicInteger attempts = new AtomicInteger();
        bus.serve(Message.RunCheck.class, request -> {
            attempts.incrementAndGet();
            return Future.succeededFuture(
                    overloaded ? new Message.Overloaded(1) : new Message.Refused(Message.Refused.Reason.CPU));
        });
        TargetPolicy policy = new TargetPolicy(
                new TargetPolicy.Rules(List.of(), List.of(), List.of(), List.of("*")), (address, port) -> false);
        CheckBatch batch = new CheckBatch(
                vertx,
                bus,
                module,
                Options.defaults(module),
                policy,
                4,
                true,
                overloaded ? 1_500 : CheckBatch.RETRY_TIMEOUT_MS,
                null);
        StringWriter out = new StringWriter();

        VerdictCounts counts = batch.run(
                TargetReader.open(List.of("https://example.com/"), null),
                ReportFormat.NDJSON.writer(
                        module, List.of(), false, false, Verdict.WARN, out, OutputStream.nullOutputStream()),
                out,
                ProgressBar.onStderr(false));

        assertThat(counts.worst()).isEqualTo(Verdict.ERROR);
        assertThat(new JsonObject(out.toString()).getJsonObject("error").getString("code"))
                .isEqualTo(overloaded ? "deadline_exceeded" : "internal");
        if (overloaded) {
            assertThat(attempts).hasValueGreaterThan(1);
        } else {
            assertThat(attempts).hasValue(3);
        }
    }
}
