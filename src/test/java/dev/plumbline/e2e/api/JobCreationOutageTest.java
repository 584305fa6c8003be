package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.Await;
import dev.plumbline.support.FaultInjectionProxy;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs created while connections to the database break: every job that exists is known to its client. */
@Tag("integration")
class JobCreationOutageTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final int CLIENTS = 10;
    private static final int JOBS_PER_CLIENT = 60;
    private static final long CLOSE_INTERVAL_MS = 40;

    private FaultInjectionProxy proxy;
    private ServiceUnderTest service;
    private TestAccounts accounts;

    @BeforeEach
    void start() {
        URI real = URI.create(DATABASE.url());
        proxy = new FaultInjectionProxy(DATABASE.vertx(), real.getPort());
        service = ServiceUnderTest.start(
                DATABASE.url().replace(":" + real.getPort() + "/", ":" + proxy.port() + "/"),
                Map.of("DATABASE_TIMEOUT", "800ms", "LIMITS_JOBS_PER_HOUR", "0", "LIMITS_JOBS_PER_HOUR_ACCOUNT", "0"));
        accounts = new TestAccounts(DATABASE.open());
    }

    @AfterEach
    void stop() {
        service.close();
        proxy.refuseConnections();
    }

    /**
     * A client of the API.
     *
     * @param known tokens of responses with status 202 or 503
     * @param uncertain tokens of responses with status 503
     */
    private record Client(TestAccounts.Key key, Set<String> known, Set<String> uncertain) {
        static Client of(TestAccounts.Key key) {
            return new Client(key, new TreeSet<>(), new TreeSet<>());
        }
    }

    @Test
    void everyJobIsKnownToItsClient() {
        List<Client> clients = clients();

        whileConnectionsBreak(clients, client -> {
            for (int i = 0; i < JOBS_PER_CLIENT; i++) {
                create(client, i);
            }
        });

        Set<String> created = new TreeSet<>();
        Set<String> notCreated = new TreeSet<>();
        for (Client client : clients) {
            Set<String> existing = jobs(client);
            assertThat(client.known).containsAll(existing);
            for (String token : client.uncertain) {
                (existing.contains(token) ? created : notCreated).add(token);
                assertThat(status(client, token)).isEqualTo(existing.contains(token) ? 200 : 404);
            }
        }
        assertThat(created).as("a connection broke after a commit").isNotEmpty();
        assertThat(notCreated).as("a connection broke before a commit").isNotEmpty();
    }

    @Test
    void repeatedRequestsWithAnIdempotencyKeyCreateOneJobEach() {
        List<Client> clients = clients();

        whileConnectionsBreak(clients, client -> {
            for (int i = 0; i < JOBS_PER_CLIENT; i++) {
                String idempotencyKey = "key-" + i;
                int line = i;
                Await.until(() -> create(client, line, "Idempotency-Key", idempotencyKey) == 202);
            }
        });

        for (Client client : clients) {
            assertThat(jobs(client)).hasSize(JOBS_PER_CLIENT).isSubsetOf(client.known);
        }
        assertThat(clients).anyMatch(client -> !client.uncertain.isEmpty());
    }

    private List<Client> clients() {
        return IntStream.range(0, CLIENTS)
                .mapToObj(i -> Client.of(accounts.key()))
                .toList();
    }

    private interface Work {
        void run(Client client);
    }

    /** Runs the clients concurrently, and closes a connection to the database every few milliseconds. */
    private void whileConnectionsBreak(List<Client> clients, Work work) {
        long timer = DATABASE.vertx().setPeriodic(CLOSE_INTERVAL_MS, fired -> proxy.closeOnData(1));
        ExecutorService threads = Executors.newFixedThreadPool(clients.size());
        try {
            List<CompletableFuture<Void>> running = clients.stream()
                    .map(client -> CompletableFuture.runAsync(() -> work.run(client), threads))
                    .toList();
            running.forEach(CompletableFuture::join);
        } finally {
            DATABASE.vertx().cancelTimer(timer);
            proxy.closeOnData(0);
            threads.shutdownNow();
        }
        Await.until(
                () -> service.send("GET", service.management("/health/ready")).statusCode() == 200);
    }

    /** Creates a job, and remembers the token of the response. Returns the status. */
    private int create(Client client, int line, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        all.addAll(List.of("X-Api-Key", client.key.secret()));
        HttpResponse<String> response = service.post(
                "/api/v1/jobs",
                "{\"module\":\"http-status\",\"items\":[\"not a target " + line + "\"]}",
                all.toArray(String[]::new));
        String token = new JsonObject(response.body()).getString("token");
        if (token != null) {
            assertThat(response.headers().firstValue("Location").orElseThrow()).endsWith("/api/v1/jobs/" + token);
            client.known.add(token);
            if (response.statusCode() == 503) {
                client.uncertain.add(token);
            }
        }
        assertThat(response.statusCode()).as(response.body()).isIn(202, 409, 503);
        return response.statusCode();
    }

    private int status(Client client, String token) {
        return service.get("/api/v1/jobs/" + token, "X-Api-Key", client.key.secret())
                .statusCode();
    }

    private Set<String> jobs(Client client) {
        return StreamSupport.stream(
                        Await.value(DATABASE.open()
                                        .query(
                                                "select token from job where account_id = $1",
                                                Tuple.of(client.key.accountId())))
                                .spliterator(),
                        false)
                .map(row -> row.getString(0))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
