package dev.plumbline.e2e.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.ContractValidator;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.pointer.JsonPointer;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of the API reference are complete, and problem types link to them. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocsPageTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private ServiceUnderTest service;
    private JsonObject contract;

    /** All pages by path. */
    private final Map<String, Document> pages = new LinkedHashMap<>();

    @BeforeAll
    void start() {
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("LIMITS_FRESH_PER_HOUR", "0", "LIMITS_JOBS_PER_HOUR", "7"));
        for (Element link : open("/docs").select("nav[aria-label=API reference] a")) {
            pages.put(link.attr("href"), open(link.attr("href")));
        }
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
                String id = operation.getString("operationId");
                Element place = pages.get(
                                "/docs/" + operation.getJsonArray("tags").getString(0))
                        .getElementById(id);
                assertThat(place).as(id).isNotNull();
                assertThat(linked(index().getElementById(id)).id()).isEqualTo(id);
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
        assertThat(elements(".operation")).hasSize(operations);
    }

    @Test
    void quotasOfTheServiceAreListed() {
        Elements quotas = open("/docs").select("section[aria-labelledby=quotas]");

        assertThat(quotas.select("tbody tr").eachText())
                .containsExactly(
                        "Fresh checks per client IP address (IPv6: per /64) no limit limits.fresh_per_hour",
                        "Jobs per API key, each with up to 500 lines 7 limits.jobs_per_hour",
                        "Jobs per account 600 limits.jobs_per_hour_account",
                        "Shared results of instant checks per client IP address (IPv6: per /64) 30 Fixed",
                        "New expressions in expect per client IP address (IPv6: per /64), in any 60 seconds 60 Fixed");
        assertThat(quotas.text()).contains("The Cache-Control header of requests is ignored", "0 = no limit");
    }

    @Test
    void compatibilityPolicyIsThatOfTheContract() {
        String description = contract.getJsonObject("info").getString("description");

        Elements items = index().select("#compatibility + details > ul > li");

        assertThat(items).hasSizeGreaterThan(4);
        assertThat(items.eachText())
                .allSatisfy(item -> assertThat(description.replace("`", "")).contains(item));
        assertThat(items.text()).contains("Deprecation", "RFC 9745", "Sunset", "RFC 8594", "12 months");
        assertThat(index().select(".lead").text()).doesNotContain("Compatib");
    }

    /** The policy states that nothing is deprecated. */
    @Test
    void nothingIsDeprecated() {
        assertThat(contract.encode()).doesNotContain("\"deprecated\":");
    }

    @Test
    void moduleOperationsLinkToTheirTools() {
        int modules = 0;
        for (Map.Entry<String, Object> path : contract.getJsonObject("paths")) {
            JsonObject get = ((JsonObject) path.getValue()).getJsonObject("get", new JsonObject());
            String module = get.getString("x-module");
            if (module != null) {
                modules++;
                String id = get.getString("operationId");
                Element entry = pages.get("/docs/modules").getElementById(id);
                assertThat(entry.select("a").attr("href")).isEqualTo("/tools/" + module);
                assertThat(entry.select("code").text()).isEqualTo("GET " + path.getKey());
                assertThat(index().getElementById(id).select("a").attr("href")).isEqualTo("/tools/" + module);
            }
        }
        assertThat(modules).isGreaterThan(10);
    }

    @Test
    void everyOperationHasExamplesWithItsUrl() {
        for (Element call : elements(".operation")) {
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
        int links = 0;
        for (Document page : pages.values()) {
            assertThat(page.select("[id]").eachAttr("id")).doesNotHaveDuplicates();
            for (Element link : page.select("a[href^=#], a[href^=/docs]")) {
                assertThat(linked(link)).as(link.attr("abs:href")).isNotNull();
                links++;
            }
        }
        assertThat(links).isGreaterThan(200);
    }

    @Test
    void everySchemaIsListed() {
        JsonObject schemas = contract.getJsonObject("components").getJsonObject("schemas");
        for (String name : schemas.fieldNames()) {
            boolean generated = schemas.getJsonObject(name).containsKey("x-module");
            Element entry = index().getElementById("schema-" + name);
            assertThat(entry == null).as(name).isEqualTo(generated);
            assertThat(elements("#schema-" + name + ".schema")).as(name).hasSize(generated ? 0 : 1);
            if (entry != null) {
                assertThat(linked(entry).id()).isEqualTo("schema-" + name);
            }
        }
        Element job = pages.get("/docs/jobs/schemas").getElementById("schema-Job");
        assertThat(job.select(".name").eachText()).contains("token", "counts", "links");
        assertThat(job.select("a[href=/docs/jobs/schemas#schema-JobLine]")).isNotEmpty();
    }

    @Test
    void everyProblemCodeIsExplained() {
        Set<Object> codes = contract
                .getJsonObject("components")
                .getJsonObject("schemas")
                .getJsonObject("Problem")
                .getJsonObject("properties")
                .getJsonObject("code")
                .getJsonArray("enum")
                .stream()
                .collect(Collectors.toSet());

        assertThat(codes).hasSizeGreaterThan(30);
        for (Object code : codes) {
            Element explained = index().getElementById(code.toString());
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
            Element explained = index().getElementById(type.getFragment());
            assertThat(explained).as(type.toString()).isNotNull();
            assertThat(explained.select(".status").text()).isEqualTo(Integer.toString(each.statusCode()));
            assertThat(explained.select("h3").text()).contains(problem.getString("title"));
        }
    }

    @Test
    void pagesHaveNoInlineOrExternalAssets() {
        assertThat(elements("[style], style, script:not([src])")).isEmpty();
        assertThat(elements("script, link[rel=stylesheet]"))
                .allSatisfy(
                        file -> assertThat(file.attr("src") + file.attr("href")).startsWith("/assets/"));
    }

    /** The form is sent without a script. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "createJob            | Operation createJob                  | /docs/jobs#createJob",
                "Idempotency-Key      | Parameter Idempotency-Key            | /docs/jobs#createJob",
                "max_redirects status | Parameter max_redirects              | /tools/http-status",
                "HttpStatusFields     | Schema HttpStatusFields              | /tools/http-status",
                "JobLine              | Schema JobLine                       | /docs/jobs/schemas#schema-JobLine",
                "job.created_at       | Property Job.created_at              | /docs/jobs/schemas#schema-Job",
                "quota-exceeded       | Problem quota-exceeded               | /docs#quota-exceeded"
            })
    void searchFindsOperationsParametersSchemasAndProblems(String query, String entry, String link) {
        Element form = index().selectFirst("form[role=search]");
        assertThat(form.attr("method")).isEqualTo("get");
        Document results = Jsoup.parse(service.page(form.attr("action") + "?"
                        + form.selectFirst("input").attr("name") + "=" + URLEncoder.encode(query, UTF_8))
                .body());

        Element first = results.selectFirst("main .entries li");
        assertThat(first.selectFirst(".quiet").text() + " "
                        + first.selectFirst("a").text())
                .isEqualTo(entry);
        assertThat(first.selectFirst("a").attr("href")).isEqualTo(link);
        assertThat(results.selectFirst("input[name=q]").val()).isEqualTo(query);
    }

    @ParameterizedTest
    @CsvSource({"'nothing of the kind', 0 results", "'', ''", "'<script>', 0 results", "a, are shown"})
    void searchReportsTheNumberOfResults(String query, String expected) {
        Document results = Jsoup.parse(service.page("/docs/search?q=" + URLEncoder.encode(query, UTF_8))
                .body());

        assertThat(results.select("[role=status]").text()).contains(expected);
        assertThat(results.select("main .entries li")).hasSizeLessThanOrEqualTo(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/docs/search?q=", "/tools?q="})
    void controlCharactersOfTheQueryAreReplaced(String path) {
        String body = service.page(path + "%1b%5b31m%E2%80%AEx%00").body();

        assertThat(body).doesNotContain("\u001b", "\u202e", "\0");
        assertThat(Jsoup.parse(body).selectFirst("input[name=q]").val()).isEqualTo("[U+001B][31m[U+202E]x[U+0000]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/docs/nothing", "/docs/modules/schemas", "/docs/jobs/x"})
    void otherPagesAreNotFound(String path) {
        assertThat(service.page(path).statusCode()).isEqualTo(404);
    }

    private Document open(String path) {
        HttpResponse<String> response = service.page(path);
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        return Jsoup.parse(response.body(), service.uri(path).toString());
    }

    private Document index() {
        return pages.get("/docs");
    }

    private List<Element> elements(String selector) {
        return pages.values().stream()
                .flatMap(page -> page.select(selector).stream())
                .toList();
    }

    /** Returns the element that a link, or the link of an entry, refers to; null if it does not exist. */
    private Element linked(Element entry) {
        URI target = URI.create((entry.tagName().equals("a") ? entry : entry.selectFirst("a")).attr("abs:href"));
        Document page = pages.get(target.getPath());
        return page == null || target.getFragment() == null ? page : page.getElementById(target.getFragment());
    }

    private JsonObject resolve(JsonObject node) {
        String ref = node.getString("$ref");
        return ref == null
                ? node
                : (JsonObject) JsonPointer.from(ref.substring(1)).queryJson(contract);
    }
}
