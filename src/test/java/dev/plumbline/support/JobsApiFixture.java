package dev.plumbline.support;

import dev.plumbline.account.TestAccounts;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A service and an account with an API key, for a test class of the job operations: {@code @RegisterExtension static
 * final JobsApiFixture FIXTURE = new JobsApiFixture();}
 */
public final class JobsApiFixture extends ServiceFixture {
    private TestAccounts accounts;
    private String key;

    public JobsApiFixture() {
        this(Map.of());
    }

    /** @param settings additional settings, as environment variables without prefix */
    public JobsApiFixture(Map<String, String> settings) {
        super(with(settings));
    }

    private static Map<String, String> with(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(Map.of(
                "HTTP_PUBLIC_URL",
                "https://checks.example.org",
                "HTTP_SHUTDOWN_TIMEOUT",
                "1s",
                // prevents database timeouts on a loaded machine
                "DATABASE_TIMEOUT",
                "4s"));
        all.putAll(settings);
        return all;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        super.beforeAll(context);
        accounts = new TestAccounts(database().open());
        key = accounts.key().secret();
    }

    public TestAccounts accounts() {
        return accounts;
    }

    /** The API key of the client. */
    public String key() {
        return key;
    }

    public JobsApiClient client() {
        return new JobsApiClient(service(), key);
    }
}
