package dev.plumbline.bench;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A minimal Vert.x server: it returns the same status, headers and bytes for every request, read from a file at the
 * start. It runs in its own process: {@code BareServer FILE LOOPS}.
 */
public final class BareServer extends VerticleBase {
    private final int status;
    private final List<CharSequence> headers;
    private final Buffer body;
    private HttpServer server;

    private BareServer(int status, List<CharSequence> headers, Buffer body) {
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    /** Listens on a free loopback port and prints {@code ready http://host:port}. */
    public static void main(String[] args) throws IOException {
        Recorded recorded = Recorded.read(Path.of(args[0]));
        int loops = Integer.parseInt(args[1]);
        Vertx vertx =
                Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(loops));
        List<CharSequence> headers = new ArrayList<>();
        for (String header : recorded.headers()) {
            headers.add(HttpHeaders.createOptimized(header));
        }
        Buffer body = Buffer.buffer(recorded.body());
        List<BareServer> servers = new ArrayList<>();
        vertx.deployVerticle(
                        () -> {
                            BareServer one = new BareServer(recorded.status(), headers, body);
                            synchronized (servers) {
                                servers.add(one);
                            }
                            return one;
                        },
                        new DeploymentOptions().setInstances(loops))
                .onSuccess(deployed -> System.out.println(
                        "ready http://127.0.0.1:" + servers.get(0).server.actualPort()))
                .onFailure(failed -> {
                    System.err.println(failed);
                    vertx.close();
                });
    }

    @Override
    public Future<?> start() {
        // -1: a free port, the same one for all instances
        HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(-1);
        server = vertx.createHttpServer(options).requestHandler(request -> {
            var response = request.response().setStatusCode(status);
            for (int i = 0; i < headers.size(); i += 2) {
                response.headers().set(headers.get(i), headers.get(i + 1));
            }
            response.end(body);
        });
        return server.listen();
    }

    /**
     * A recorded response of another server.
     *
     * @param headers alternating names and values
     */
    record Recorded(int status, List<String> headers, byte[] body) {
        void write(Path file) throws IOException {
            StringBuilder head = new StringBuilder().append(status).append('\n');
            headers.forEach(text -> head.append(text).append('\n'));
            Files.writeString(file, head);
            Files.write(bodyFile(file), body);
        }

        static Recorded read(Path file) throws IOException {
            List<String> lines = Files.readAllLines(file);
            return new Recorded(
                    Integer.parseInt(lines.get(0)), lines.subList(1, lines.size()), Files.readAllBytes(bodyFile(file)));
        }

        private static Path bodyFile(Path file) {
            return file.resolveSibling(file.getFileName() + ".body");
        }
    }
}
