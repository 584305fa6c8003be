package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.ContractValidator;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.select.Elements;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API reference page is complete, and problem types link to it. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocsPageTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private ServiceUnderTest service;
    private Document page;
    private JsonObject contract;

    @BeforeAll
    void start() {
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("LIMITS_FRESH_PER_HOUR", "0", "LIMITS_JOBS_PER_HOUR", "7"));
        page = Jsoup.parse(service.page("/docs").body());
        contract = new JsonObject(service.get("/openapi.json").body());
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @Test
    void everyOperationIsListedWithParametersAndResponses() {
        int operations = 0;
        for (Map.Entry<String, Object> path : contract.getJsonObject("paths")) {
            for (Map.Entry<String, Object> method : (JsonObject) path.getValue()) {
                JsonObject operation = (JsonObject) method.getValue();
                if (operation.containsKey("x-module")) {
                    continue;
                }
                operations++;
                Element place = page.getElementById(operation.getString("operationId"));
                assertThat(place).as(operation.getString("operationId")).isNotNull();
                assertThat(place.select(".line").text())
                        .isEqualTo(method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey());
                for (Object parameter : operation.getJsonArray("parameters")) {
                    String name = resolve((JsonObject) parameter).getString("name");
                    assertThat(place.select(".name").eachText()).contains(name);
                }
                assertThat(place.select(".responses .status").eachText())
                        .containsAll(operation.getJsonObject("responses").fieldNames());
            }
        }
        assertThat(page.select(".operation")).hasSize(operations);
    }

    @Test
    void quotasOfTheServiceAreListed() {
        Elements quotas = page.select("section[aria-labelledby=quotas]");

        assertThat(quotas.select("tbody tr").eachText())
                .containsExactly(
                        "Fresh checks per client IP address (IPv6: per /64) no limit limits.fresh_per_hour",
                        "Jobs per API key, each with up to 500 lines 7 limits.jobs_per_hour",
                        "Jobs per account 600 limits.jobs_per_hour_account");
        assertThat(quotas.text()).contains("the Cache-Control header of requests is ignored", "0 = no limit");
    }

    @Test
    void moduleOperationsLinkToTheirTools() {
        int modules = 0;
        for (Map.Entry<String, Object> path : contract.getJsonObject("paths")) {
            JsonObject get = ((JsonObject) path.getValue()).getJsonObject("get", new JsonObject());
            String module = get.getString("x-module");
            if (module != null) {
                modules++;
                Element entry = page.getElementById(get.getString("operationId"));
                assertThat(entry.select("a").attr("href")).isEqualTo("/tools/" + module);
                assertThat(entry.select("code").text()).isEqualTo("GET " + path.getKey());
            }
        }
        assertThat(modules).isGreaterThan(10);
    }

    @Test
    void everyOperationHasExamplesWithItsUrl() {
        for (Element call : page.select(".operation")) {
            assertThat(call.select(".example > summary").eachText())
                    .containsExactly("curl", "Java", "Python", "JavaScript");
            String beginning = call.select(".line code").text().replaceAll("\\{.*", "");
            for (Element example : call.select(".example pre")) {
                assertThat(example.text()).contains(service.uri("") + beginning).doesNotContain("null");
            }
        }
    }

    @Test
    void exampleBodiesMatchTheirSchemas() {
        ContractValidator check = new ContractValidator();
        int bodies = 0;
        for (Map.Entry<String, Object> path : contract.getJsonObject("paths")) {
            for (Map.Entry<String, Object> method : (JsonObject) path.getValue()) {
                JsonObject body = ((JsonObject) method.getValue()).getJsonObject("requestBody");
                if (body != null) {
                    JsonObject media = body.getJsonObject("content").getJsonObject("application/json");
                    assertThat(check.validate(
                                            media.getJsonObject("schema"),
                                            media.getJsonObject("example").encode())
                                    .getValid())
                            .as(path.getKey())
                            .isTrue();
                    bodies++;
                }
            }
        }
        assertThat(bodies).isGreaterThan(3);
    }

    @Test
    void everyLinkAndAnchorIsValid() {
        List<String> ids = page.select("[id]").eachAttr("id");

        assertThat(ids).doesNotHaveDuplicates();
        for (String link : page.select("a[href^=#]").eachAttr("href")) {
            assertThat(ids).contains(link.substring(1));
        }
    }

    @Test
    void everySchemaIsListed() {
        JsonObject schemas = contract.getJsonObject("components").getJsonObject("schemas");
        for (String name : schemas.fieldNames()) {
            boolean generated = schemas.getJsonObject(name).containsKey("x-module");
            assertThat(page.getElementById("schema-" + name) == null).as(name).isEqualTo(generated);
        }
        assertThat(page.select("#schema-Job .name").eachText()).contains("token", "counts", "links");
        assertThat(page.select("#schema-Job a[href=#schema-JobLine]")).isNotEmpty();
    }

    @Test
    void everyProblemCodeIsExplained() {
        Set<Object> codes = Set.copyOf(contract.getJsonObject("components")
                .getJsonObject("schemas")
                .getJsonObject("Problem")
                .getJsonObject("properties")
                .getJsonObject("code")
                .getJsonArray("enum")
                .getList());

        assertThat(codes).hasSizeGreaterThan(30);
        for (Object code : codes) {
            Element explained = page.getElementById(code.toString());
            assertThat(explained).as(code.toString()).isNotNull();
            assertThat(explained.text()).contains("Action:");
        }
    }

    @Test
    void problemTypesAreAnchorsOfThePage() {
        List<HttpResponse<String>> refused = new ArrayList<>();
        refused.add(service.get("/api/v1/nowhere"));
        refused.add(service.get("/api/v1/jobs"));
        refused.add(service.get("/api/v1/jobs", "X-Api-Key", "plk_no"));
        refused.add(service.get("/api/v1/session"));
        refused.add(service.instant("nothing", "example.com"));
        refused.add(service.instant("http-status", "http://localhost/"));
        refused.add(service.send("DELETE", service.uri("/api/v1/tools")));
        refused.add(service.get("/api/v1/tools", "Accept", "text/html"));

        for (HttpResponse<String> each : refused) {
            JsonObject problem = new JsonObject(each.body());
            URI type = URI.create(problem.getString("type"));
            assertThat(type.toString()).startsWith(service.uri("/docs#").toString());
            Element explained = page.getElementById(type.getFragment());
            assertThat(explained).as(type.toString()).isNotNull();
            assertThat(explained.select(".status").text()).isEqualTo(Integer.toString(each.statusCode()));
            assertThat(explained.select("h3").text()).contains(problem.getString("title"));
        }
    }

    @Test
    void pageHasNoInlineOrExternalAssets() {
        HttpResponse<String> response = service.page("/docs");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(page.select("[style], style, script:not([src])")).isEmpty();
        assertThat(page.select("script, link[rel=stylesheet]"))
                .allSatisfy(
                        file -> assertThat(file.attr("src") + file.attr("href")).startsWith("/assets/"));
    }

    private JsonObject resolve(JsonObject node) {
        String ref = node.getString("$ref");
        if (ref == null) {
            return node;
        }
        JsonObject found = contract;
        for (String step : ref.substring(2).split("/", -1)) {
            found = found.getJsonObject(step);
        }
        return found;
    }
}
