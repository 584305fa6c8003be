package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A service with a million waiting lines of one account, which it processes during the measurement. */
final class Backlog {
    private static final long WAITING = 1_000_000;

    /** Additional lines, so that enough lines wait until the end of a row. */
    private static final long RESERVE = 300_000;

    private static final int JOBS_AT_ONCE = 40;

    private final ServiceUnderLoad service;
    private final String site;
    private final JobsClient client;
    private int jobs;

    Backlog(ServiceUnderLoad service, String site) throws IOException {
        this.service = service;
        this.site = site;
        this.client = new JobsClient(service, service.tenants().newKey());
    }

    ServiceUnderLoad service() {
        return service;
    }

    /** Creates jobs until the required number of lines waits. */
    void fill() throws IOException, InterruptedException {
        while (waiting() < WAITING + RESERVE) {
            List<String> bodies = new ArrayList<>();
            for (int i = 0; i < JOBS_AT_ONCE; i++) {
                String before = site + "/backlog-" + ++jobs + "-";
                bodies.add(JobsClient.body(
                        IntStream.range(0, JobsClient.MAX_LINES)
                                .mapToObj(n -> before + n)
                                .toList(),
                        new JsonObject()));
            }
            client.createAll(bodies);
        }
    }

    long waiting() {
        return tenants().waitingLines();
    }

    /** The number of waiting lines. @throws IOException if it is below the minimum of the measurement */
    long mustWait() throws IOException {
        long waiting = waiting();
        if (waiting < WAITING) {
            throw new IOException("only " + waiting + " lines were left waiting");
        }
        return waiting;
    }

    private TenantLoad tenants() {
        try {
            return service.tenants();
        } catch (IOException gone) {
            throw new java.io.UncheckedIOException(gone);
        }
    }
}
