package dev.plumbline.http.problem;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.http.ApiContract;
import dev.plumbline.http.RequestId;
import dev.plumbline.postgres.DatabaseUnavailableException;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProblemResponderTest {
    private Vertx vertx;

    @BeforeEach
    void open() {
        vertx = Vertx.vertx();
    }

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    private record Response(int status, JsonObject problem) {}

    private Response respond(Handler<RoutingContext> handler) {
        Router router = Router.router(vertx);
        router.get("/").handler(handler);
        new ProblemResponder("http://localhost", (ctx, problem) -> ctx.fail(500))
                .mount(router, Await.value(ApiContract.load(vertx, "http://localhost", Set.of())));
        int port = Await.value(vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1"))
                .actualPort();
        HttpClientAgent client = vertx.createHttpClient();
        return Await.value(client.request(HttpMethod.GET, port, "127.0.0.1", "/")
                .compose(request ->
                        request.putHeader(RequestId.HEADER, "known-1").send())
                .compose((HttpClientResponse response) ->
                        response.body().map(body -> new Response(response.statusCode(), body.toJsonObject())))
                .eventually(client::close));
    }

    @Test
    void anExceptionOfAHandlerIsALogged500() {
        try (CapturedLog log = new CapturedLog()) {
            Response response = respond(ctx -> {
                throw new IllegalArgumentException("a fault that the test wants");
            });

            assertThat(response.status).isEqualTo(500);
            assertThat(response.problem.getString("code")).isEqualTo("internal");
            assertThat(response.problem.getString("request_id")).isEqualTo("known-1");
            assertThat(response.problem.encode()).doesNotContain("the test wants");
            assertThat(log.text())
                    .contains("request_id=\"known-1\"")
                    .contains("IllegalArgumentException: a fault that the test wants");
        }
    }

    @Test
    void aMalformedRequestIs400() {
        Response response = respond(ctx -> {
            throw new HttpException(400, "not a number");
        });

        assertThat(response.status).isEqualTo(400);
        assertThat(response.problem.getString("detail")).isEqualTo("not a number");
    }

    @Test
    void anOutageIs503() {
        Response response = respond(ctx -> ctx.fail(new DatabaseUnavailableException("closed")));

        assertThat(response.status).isEqualTo(503);
        assertThat(response.problem.getString("code")).isEqualTo("unavailable");
    }
}
