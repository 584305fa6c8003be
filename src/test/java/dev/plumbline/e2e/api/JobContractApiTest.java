package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.InMemoryJobs;
import dev.plumbline.support.JobApiServer;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests to create a job are validated by the contract with which the service starts. */
@Tag("integration")
class JobContractApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @Test
    void maxItemsOfTheContractIsTheMaximum() throws IOException, InterruptedException {
        String key = new TestAccounts(DATABASE.open()).key().secret();
        try (JobApiServer server =
                new JobApiServer(DATABASE, new InMemoryJobs(), Map.of(), contract -> withMaxItems(contract, 3))) {
            HttpResponse<String> response = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + JobsApiClient.PATH))
                                    .header("X-Api-Key", key)
                                    .header("Content-Type", "application/json")
                                    .POST(HttpRequest.BodyPublishers.ofString(
                                            JobsApiClient.body(List.of("a", "b", "c", "d"), new JsonObject())
                                                    .encode()))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());

            assertThat(response.statusCode()).as(response.body()).isEqualTo(422);
            assertThat(new JsonObject(response.body()).getString("detail"))
                    .contains("/items has 4 lines; the maximum is 3");
        }
    }

    private static JsonObject withMaxItems(JsonObject contract, int maxItems) {
        contract.getJsonObject("components")
                .getJsonObject("schemas")
                .getJsonObject("JobRequest")
                .getJsonObject("properties")
                .getJsonObject("items")
                .put("maxItems", maxItems);
        return contract;
    }
}
