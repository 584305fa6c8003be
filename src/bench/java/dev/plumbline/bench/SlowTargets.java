package dev.plumbline.bench;

import dev.plumbline.support.NamedServer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** An HTTP server on many loopback addresses, each with its own registrable domain. Every response takes a second. */
final class SlowTargets implements AutoCloseable {
    static final Duration LATENCY = Duration.ofSeconds(1);

    private static final int DOMAINS = 4_096;
    private static final int ADDRESSES_PER_NETWORK = 16;

    private final Vertx vertx;
    private final NamedServer named;
    private final int port;
    private final AtomicLong responses;
    private final AtomicInteger paths = new AtomicInteger();

    private SlowTargets(Vertx vertx, NamedServer named, int port, AtomicLong responses) {
        this.vertx = vertx;
        this.named = named;
        this.port = port;
        this.responses = responses;
    }

    static SlowTargets start(Path parent) throws IOException {
        ProgramFinder.require("named", "bind9");
        Path folder = Files.createDirectory(parent.resolve("slow-names"));
        StringBuilder zone = new StringBuilder();
        for (int i = 0; i < DOMAINS; i++) {
            int network = i / ADDRESSES_PER_NETWORK;
            zone.append("domain%d IN A 127.1.%d.%d%n".formatted(i, network, 1 + i % ADDRESSES_PER_NETWORK));
        }
        NamedServer named = NamedServer.start(folder, Map.of("test", zone.toString()));
        Vertx vertx = Vertx.vertx();
        AtomicLong responses = new AtomicLong();
        HttpServer server = vertx.createHttpServer()
                .requestHandler(request -> vertx.setTimer(LATENCY.toMillis(), fired -> {
                    responses.incrementAndGet();
                    request.response().end();
                }));
        try {
            int port = server.listen(0, "0.0.0.0")
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS)
                    .actualPort();
            return new SlowTargets(vertx, named, port, responses);
        } catch (Exception failed) {
            vertx.close();
            throw new IOException("the slow server does not listen", failed);
        }
    }

    /** URLs that have not been requested yet; consecutive ones have different domains. */
    List<String> urls(int count) {
        int first = paths.getAndAdd(count);
        return IntStream.range(first, first + count)
                .mapToObj(i -> "http://domain" + i % DOMAINS + ".test:" + port + "/" + i)
                .toList();
    }

    /** The number of responses so far. */
    long responses() {
        return responses.get();
    }

    /** The address of the nameserver in the format of {@code dns.servers}. */
    String nameserver() {
        return named.address();
    }

    @Override
    public void close() throws InterruptedException {
        vertx.close();
        named.close();
    }
}
