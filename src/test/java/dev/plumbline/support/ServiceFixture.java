package dev.plumbline.support;

import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A service with its own database for a test class: {@code @RegisterExtension static final ServiceFixture FIXTURE = new
 * ServiceFixture(Map.of());}
 */
public class ServiceFixture implements BeforeAllCallback, AfterAllCallback {
    private final TestDatabase database = new TestDatabase();
    private final Map<String, String> settings;
    private ServiceUnderTest service;

    /** @param settings additional settings by the name of the environment variable without the prefix */
    public ServiceFixture(Map<String, String> settings) {
        this.settings = settings;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        database.beforeAll(context);
        service = ServiceUnderTest.start(database.url(), settings);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        service.close();
        database.afterAll(context);
    }

    public TestDatabase database() {
        return database;
    }

    public ServiceUnderTest service() {
        return service;
    }
}
