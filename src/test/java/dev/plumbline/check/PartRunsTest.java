package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import io.vertx.core.Future;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartRunsTest {
    private static final List<CompositePart> PARTS = ModuleCatalogue.load().parts("overview");

    private final List<String> started = new ArrayList<>();

    /** A context whose parts end at once. */
    private CheckContext context() {
        CheckContext base = TestCheckContext.create();
        return (CheckContext) Proxy.newProxyInstance(
                CheckContext.class.getClassLoader(), new Class<?>[] {CheckContext.class}, (self, method, arguments) -> {
                    if (!method.getName().equals("check")) {
                        return method.invoke(base, arguments);
                    }
                    CompositePart part = (CompositePart) arguments[0];
                    started.add(part.module().module());
                    CheckResult result = ResultAssembler.withoutTarget(
                            part.module(), new CheckError(ErrorCode.CONNECT_REFUSED, "Refused."), Instant.EPOCH);
                    return Future.succeededFuture(new PartResult(part, "example.com", result, null));
                });
    }

    /** They would be the last ones to receive permits of the target and requests of the composite. */
    @Test
    void startsThePartsOnWhichOthersDependFirst() {
        List<PartResult> results = Await.value(PartRuns.runAll(context(), "example.com", PARTS));

        assertThat(started).startsWith("mx", "http-status", "ssl-certificate").doesNotHaveDuplicates();
        assertThat(results)
                .extracting(PartResult::module)
                .containsExactlyElementsOf(
                        PARTS.stream().map(part -> part.module().module()).toList());
    }
}
