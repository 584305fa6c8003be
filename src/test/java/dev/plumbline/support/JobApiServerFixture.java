package dev.plumbline.support;

import dev.plumbline.account.TestAccounts;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A {@link JobApiServer} with its own database for a test class: {@code @RegisterExtension static final
 * JobApiServerFixture FIXTURE = new JobApiServerFixture();}
 */
public final class JobApiServerFixture implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
    private final TestDatabase database = new TestDatabase();
    private final InMemoryJobs jobs = new InMemoryJobs();
    private TestAccounts accounts;
    private JobApiServer server;

    @Override
    public void beforeAll(ExtensionContext context) {
        database.beforeAll(context);
        accounts = new TestAccounts(database.open());
        server = start(Map.of("HTTP_IDLE_TIMEOUT", "65s"));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        jobs.failRequests(null);
        jobs.clearReceived();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        server.close();
        database.afterAll(context);
    }

    /** Another server with the same jobs. */
    public JobApiServer start(Map<String, String> settings) {
        return new JobApiServer(database, jobs, settings);
    }

    public TestDatabase database() {
        return database;
    }

    public InMemoryJobs jobs() {
        return jobs;
    }

    public TestAccounts accounts() {
        return accounts;
    }

    public JobApiServer server() {
        return server;
    }
}
