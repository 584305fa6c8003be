package dev.plumbline.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.http.AccessLog;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.HttpMetrics;
import dev.plumbline.http.problem.ProblemResponder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class HttpVerticleTest {
    @Test
    void operationWithoutHandlerStopsTheStart(Vertx vertx, VertxTestContext test) {
        assertStartFails(
                vertx,
                test,
                contract -> List.of(),
                "getContract, getContractAtRoot, getLimits, getLlmsText, getPolicy, getSession,");
    }

    @Test
    void handlerWithoutOperationStopsTheStart(Vertx vertx, VertxTestContext test) {
        assertStartFails(
                vertx,
                test,
                contract -> List.of(new ApiOperation("getNothing", ctx -> {})),
                "getNothing is not in openapi.json or has two handlers");
    }

    private static void assertStartFails(
            Vertx vertx, VertxTestContext test, Function<ApiContract, List<ApiOperation>> operations, String words) {
        ApiContract.load(vertx, "http://localhost", Set.of())
                .compose(contract -> deploy(vertx, contract, operations.apply(contract)))
                .onComplete(test.failing(failure -> test.verify(() -> {
                    assertThat(failure).hasMessageContaining(words);
                    test.completeNow();
                })));
    }

    private static Future<String> deploy(Vertx vertx, ApiContract contract, List<ApiOperation> operations) {
        try {
            Config config = ConfigLoader.load(null, Map.of("PLUMBLINE_HTTP_PORT", "0"));
            return vertx.deployVerticle(new HttpVerticle(
                    config.http(),
                    contract,
                    operations,
                    routes -> {},
                    new ResponseCacheHandler(null, null, null, config.cache().ttl()),
                    new ProblemResponder("http://localhost", (ctx, problem) -> ctx.fail(500)),
                    new HttpMetrics(new SimpleMeterRegistry()),
                    new AccessLog(false, new ClientAddress(List.of())),
                    request -> Future.succeededFuture(false)));
        } catch (dev.plumbline.config.ConfigException wrong) {
            return Future.failedFuture(wrong);
        }
    }
}
