package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The API catalog (RFC 9727), llms.txt (llmstxt.org), and the links to the description of the API (RFC 8631). */
@Tag("integration")
class DiscoveryApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String URL = "https://checks.example.org";
    private static final String CATALOG = "/.well-known/api-catalog";
    private static final String LLMS_TEXT = "/llms.txt";
    private static final String CATALOG_LINK =
            "<" + URL + CATALOG + ">; rel=\"api-catalog\"; type=\"application/linkset+json\"";

    private static ServiceUnderTest service;

    @BeforeAll
    static void start() {
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_PUBLIC_URL", URL));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void catalogLinksTheDescriptionsOfTheApi() {
        HttpResponse<String> response = service.get(CATALOG);

        assertThat(response.headers().firstValue("Content-Type"))
                .contains("application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"");
        assertThat(response.headers().firstValue("Link")).contains(CATALOG_LINK);
        JsonArray linkset = new JsonObject(response.body()).getJsonArray("linkset");
        assertThat(linkset).hasSize(1);
        JsonObject api = linkset.getJsonObject(0);
        assertThat(api.getString("anchor")).isEqualTo(URL + "/api/v1");
        assertThat(api.fieldNames()).containsExactly("anchor", "service-desc", "service-doc", "service-meta");
        for (String relation : List.of("service-desc", "service-doc", "service-meta")) {
            JsonObject link = api.getJsonArray(relation).getJsonObject(0);
            HttpResponse<String> linked = service.page(link.getString("href").substring(URL.length()));
            assertThat(linked.statusCode()).as(relation).isEqualTo(200);
            assertThat(linked.headers().firstValue("Content-Type").orElseThrow())
                    .startsWith(link.getString("type"));
        }
    }

    @Test
    void interfacesThatAreEnabledAreListed() {
        Map<String, String> settings = Map.of("HTTP_PUBLIC_URL", URL, "PROBE_ENABLED", "true", "MCP_ENABLED", "true");
        try (ServiceUnderTest other = ServiceUnderTest.start(DATABASE.url(), settings)) {
            JsonArray linkset = new JsonObject(other.get(CATALOG).body()).getJsonArray("linkset");
            String text = other.get(LLMS_TEXT).body();

            assertThat(linkset)
                    .extracting(api -> ((JsonObject) api).getString("anchor"))
                    .containsExactly(URL + "/api/v1", URL + "/probe", URL + "/mcp");
            assertThat(linkset.getJsonObject(1).fieldNames()).containsExactly("anchor", "service-desc", "service-doc");
            assertThat(linkset.getJsonObject(2).fieldNames()).containsExactly("anchor", "service-doc");
            for (int i = 1; i <= 2; i++) {
                String documentation = linkset.getJsonObject(i)
                        .getJsonArray("service-doc")
                        .getJsonObject(0)
                        .getString("href");
                assertThat(documentation).startsWith(URL + "/docs#");
                assertThat(other.page("/docs").body())
                        .contains("id=\"" + documentation.substring(documentation.indexOf('#') + 1) + "\"");
                assertThat(text).contains("](" + documentation + "): `");
            }
            assertThat(text).contains(URL + "/probe?module=MODULE&target=TARGET", URL + "/mcp");
        }
        assertThat(service.get(LLMS_TEXT).body()).doesNotContain("/probe", URL + "/mcp");
    }

    @Test
    void startPagesLinkTheDescriptionAndTheCatalog() {
        for (HttpResponse<String> response :
                List.of(service.page("/"), service.page("/docs"), service.get("/api/v1/tools"))) {
            assertThat(response.headers().firstValue("Link"))
                    .contains("<" + URL + "/openapi.json>; rel=\"service-desc\"; type=\"application/json\", <" + URL
                            + "/docs>; rel=\"service-doc\"; type=\"text/html\", " + CATALOG_LINK);
        }
    }

    @Test
    void llmsTextHasTheFormatOfTheProposal() {
        HttpResponse<String> response = service.get(LLMS_TEXT);

        List<String> lines = response.body().lines().toList();
        assertThat(lines.get(0)).isEqualTo("# Plumbline");
        assertThat(lines.get(2)).startsWith("> ");
        assertThat(lines.stream().filter(line -> line.startsWith("#")))
                .containsExactly("# Plumbline", "## API", "## Documentation", "## Modules");
        int sections = lines.indexOf("## API");
        assertThat(lines.subList(sections, lines.size())).allSatisfy(line -> assertThat(line)
                .matches("|## \\w+|- \\[[^]]+]\\(" + Pattern.quote(URL) + "/[^)]+\\): \\S.*"));
        assertThat(lines)
                .contains("- [hsts](" + URL + "/api/v1/tools/hsts): "
                        + new JsonObject(service.get("/api/v1/tools/hsts").body()).getString("summary"));
        for (MatchResult link : Pattern.compile("\\]\\(" + URL + "(/[^)]+)\\)")
                .matcher(response.body())
                .results()
                .toList()) {
            assertThat(service.page(link.group(1)).statusCode())
                    .as(link.group(1))
                    .isEqualTo(200);
        }
        assertThat(response.body().length()).isLessThan(16 * 1024);
    }

    @ParameterizedTest
    @ValueSource(strings = {CATALOG, LLMS_TEXT})
    void documentsAreServedAsOtherDocuments(String path) {
        HttpResponse<String> get = service.get(path, "Accept", "text/html", "Origin", "https://app.example.com");
        HttpResponse<String> head = service.send("HEAD", service.uri(path));
        String etag = get.headers().firstValue("ETag").orElseThrow();

        assertThat(get.statusCode()).isEqualTo(200);
        assertThat(get.headers().firstValue("Cache-Control")).contains("public, max-age=300");
        assertThat(get.headers().firstValue("Access-Control-Allow-Origin")).contains("*");
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValue("Link")).isEqualTo(get.headers().firstValue("Link"));
        assertThat(head.headers().firstValue("Content-Type"))
                .isEqualTo(get.headers().firstValue("Content-Type"));
        assertThat(service.get(path, "If-None-Match", etag).statusCode()).isEqualTo(304);
        assertThat(service.pageBy("OPTIONS", path).headers().firstValue("Allow"))
                .contains("GET, HEAD, OPTIONS");
        JobsApiClient.assertProblem(
                service.send("POST", service.uri(path), "Accept", "text/html"), 405, "method-not-allowed");
    }
}
