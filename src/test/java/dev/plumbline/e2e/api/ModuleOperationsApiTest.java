package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The served openapi.json follows the rules for client generators and has an operation per module. */
@Tag("integration")
class ModuleOperationsApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static ServiceUnderTest service;
    private static JsonObject document;
    private static JsonObject schemas;

    @BeforeAll
    static void start() {
        service = ServiceUnderTest.start(DATABASE.url(), Map.of());
        document = new JsonObject(service.get("/openapi.json").body());
        schemas = document.getJsonObject("components").getJsonObject("schemas");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void everyModuleHasOperationWithItsOptions() {
        for (Object entry : new JsonObject(service.get("/api/v1/tools").body()).getJsonArray("tools")) {
            JsonObject tool = (JsonObject) entry;
            String module = tool.getString("module");
            JsonObject operation = document.getJsonObject("paths")
                    .getJsonObject("/api/v1/instant/" + module + "/{target}")
                    .getJsonObject("get");
            List<String> options = new ArrayList<>();
            for (Object option : tool.getJsonArray("options")) {
                if (!((JsonObject) option).containsKey("jobs_only")) {
                    options.add(((JsonObject) option).getString("name"));
                }
            }

            assertThat(operation.getJsonArray("parameters"))
                    .filteredOn(parameter -> "query".equals(((JsonObject) parameter).getString("in")))
                    .extracting(parameter -> ((JsonObject) parameter).getString("name"))
                    .isEqualTo(List.copyOf(options));
            String schema = operation
                    .getJsonObject("responses")
                    .getJsonObject("200")
                    .getJsonObject("content")
                    .getJsonObject("application/json")
                    .getJsonObject("schema")
                    .getString("$ref");
            String name = operation.getString("operationId").replaceFirst("check", "");
            assertThat(schema).isEqualTo("#/components/schemas/" + name + "Result");
            assertThat(schemas.getJsonObject(name + "Fields")
                            .getJsonObject("properties")
                            .fieldNames())
                    .containsExactlyElementsOf(tool.getJsonArray("fields").stream()
                            .map(field -> ((JsonObject) field).getString("name"))
                            .toList());
        }
    }

    /** The generic operation reports the invalid target of the module. */
    @Test
    void everyModuleOperationIsServed() {
        int modules = 0;
        for (String path : document.getJsonObject("paths").fieldNames()) {
            JsonObject operation = document.getJsonObject("paths").getJsonObject(path);
            if (operation.getJsonObject("get", new JsonObject()).containsKey("x-module")) {
                HttpResponse<String> refused = service.get(path.replace("{target}", "a%20b"));

                assertThat(refused.statusCode()).as(path).isEqualTo(422);
                assertThat(new JsonObject(refused.body()).getString("code")).isEqualTo("invalid-target");
                modules++;
            }
        }
        assertThat(modules).isGreaterThan(10);
    }

    @Test
    void everyObjectIsNamedAndNotNullable() {
        List<String> inline = new ArrayList<>();
        for (Map.Entry<String, Object> entry : document) {
            if (!entry.getKey().startsWith("x-")) {
                findInlineObjects("/" + entry.getKey(), entry.getValue(), inline);
            }
        }

        assertThat(inline).isEmpty();
        for (Map.Entry<String, Object> schema : schemas) {
            assertThat(((JsonObject) schema.getValue()).getValue("type"))
                    .as(schema.getKey())
                    .isInstanceOf(String.class);
        }
    }

    /** Go constants share one scope. They are named after the value unless the schema names them. */
    @Test
    void constantsOfEnumerationsAreDistinct() {
        List<String> constants = new ArrayList<>();
        for (Map.Entry<String, Object> schema : schemas) {
            JsonObject declared = (JsonObject) schema.getValue();
            JsonArray values = declared.getJsonArray("enum", new JsonArray());
            for (Object constant : declared.getJsonArray("x-enum-varnames", values)) {
                constants.add(constant.toString().toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_"));
            }
        }

        assertThat(constants).hasSizeGreaterThan(30).doesNotHaveDuplicates();
    }

    /** Go clients have a constructor {@code NewJob} for a schema {@code Job}. */
    @Test
    void noSchemaHasTheNameOfAConstructor() {
        for (String name : schemas.fieldNames()) {
            assertThat(schemas.fieldNames()).doesNotContain("New" + name, "New" + name + "WithDefaults");
        }
    }

    /** openapi-generator does not create valid Go code for such a default. */
    @Test
    void noParameterHasAnEmptyArrayAsDefault() {
        for (JsonObject operation : operations()) {
            for (Object parameter : operation.getJsonArray("parameters")) {
                JsonObject schema = ((JsonObject) parameter).getJsonObject("schema", new JsonObject());
                assertThat(schema.getValue("default")).isNotEqualTo(new JsonArray());
            }
        }
    }

    /** C# clients of openapi-generator declare a constructor parameter for each of these operations of a tag. */
    @Test
    void onlyOneOperationDeclaresSetCookie() {
        List<String> declaring = new ArrayList<>();
        for (JsonObject operation : operations()) {
            JsonObject responses = operation.getJsonObject("responses");
            for (String status : responses.fieldNames()) {
                JsonObject response = responses.getJsonObject(status);
                String shared = response.getString("$ref");
                JsonObject declared = shared == null
                        ? response
                        : document.getJsonObject("components")
                                .getJsonObject("responses")
                                .getJsonObject(shared.substring(shared.lastIndexOf('/') + 1));
                if (declared.getJsonObject("headers", new JsonObject()).containsKey("Set-Cookie")) {
                    declaring.add(operation.getString("operationId") + " " + status);
                }
            }
        }

        assertThat(declaring).containsExactly("signIn 200");
    }

    private static List<JsonObject> operations() {
        List<JsonObject> operations = new ArrayList<>();
        for (Map.Entry<String, Object> path : document.getJsonObject("paths")) {
            for (Map.Entry<String, Object> method : (JsonObject) path.getValue()) {
                operations.add((JsonObject) method.getValue());
            }
        }
        return operations;
    }

    private static void findInlineObjects(String path, Object node, List<String> found) {
        if (node instanceof JsonObject object) {
            boolean named = path.matches("/components/schemas/[A-Za-z0-9]+");
            if (object.getValue("properties") instanceof JsonObject && !named) {
                found.add(path);
            }
            for (Map.Entry<String, Object> member : object) {
                if (!Set.of("example", "x-conditional").contains(member.getKey())) {
                    findInlineObjects(path + "/" + member.getKey(), member.getValue(), found);
                }
            }
        } else if (node instanceof JsonArray array) {
            array.forEach(item -> findInlineObjects(path + "/*", item, found));
        }
    }
}
