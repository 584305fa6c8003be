package dev.plumbline.http.api.tool;

import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.ServiceLinks;
import dev.plumbline.http.api.StaticDocument;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.Headline;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.target.InputType;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The JSON documents of the tools list and of each tool, created once from the descriptions. */
public final class ToolDocuments {
    private final StaticDocument list;
    private final Map<String, StaticDocument> tools = new TreeMap<>();

    /** @param publicUrl the public base URL of the service */
    public ToolDocuments(ModuleCatalogue modules, String publicUrl) {
        JsonArray all = new JsonArray();
        for (ModuleDescription module : modules.descriptions()) {
            JsonObject tool = tool(module, modules.parts(module.module()), publicUrl);
            all.add(tool);
            JsonObject withSchemas = tool.copy()
                    .put("options_schema", ToolSchemas.options(module))
                    .put("result_schema", ToolSchemas.result(module));
            tools.put(module.module(), new StaticDocument(withSchemas));
        }
        this.list = new StaticDocument(new JsonObject().put("tools", all), ServiceLinks.header(publicUrl));
    }

    /** The document of a tool; null if it does not exist. */
    public @Nullable Buffer json(String module) {
        StaticDocument tool = tools.get(module);
        return tool == null ? null : tool.json();
    }

    /** The operations that return these documents and openapi.json. */
    public List<ApiOperation> operations(ApiContract contract, ProblemResponder problems) {
        StaticDocument document = new StaticDocument(contract.published());
        return List.of(
                new ApiOperation("listTools", list::send),
                new ApiOperation("getTool", ctx -> {
                    String module = ctx.pathParam("module");
                    StaticDocument tool = tools.get(module);
                    if (tool == null) {
                        problems.send(ctx, InstantCheckService.unknownModule(module));
                    } else {
                        tool.send(ctx);
                    }
                }),
                new ApiOperation("getContract", document::send),
                new ApiOperation("getContractAtRoot", document::send));
    }

    private static JsonObject tool(ModuleDescription module, List<CompositePart> parts, String publicUrl) {
        String example = URLEncoder.encode(module.example(), StandardCharsets.UTF_8);
        JsonObject tool = new JsonObject()
                .put("module", module.module())
                .put("title", module.title())
                .put("summary", module.summary())
                .put("category", module.category())
                .put("version", module.version())
                .put("input", input(module))
                .put(
                        "options",
                        array(module.options(), ToolDocuments::option)
                                .add(option(ModuleDescription.FRESH).put("jobs_only", true)))
                .put("fields", array(module.fields(), ToolDocuments::field))
                .put("finding_codes", array(module.findings(), ToolDocuments::finding))
                .put("headline", array(module.headline().declarations(), ToolDocuments::headline))
                .put(
                        "links",
                        new JsonObject()
                                .put("self", publicUrl + "/api/v1/tools/" + module.module())
                                .put("web", publicUrl + "/check/" + module.module() + "/" + example));
        return module.composite() ? tool.put("parts", array(parts, part -> part(module, part))) : tool;
    }

    private static JsonObject part(ModuleDescription composite, CompositePart part) {
        return new JsonObject()
                .put("module", part.module().module())
                .put("area", part.area())
                .put("area_title", composite.areas().get(part.area()))
                .put("column", part.column());
    }

    private static JsonObject input(ModuleDescription module) {
        JsonObject input = new JsonObject()
                .put("type", module.input().id())
                .put("example", module.example())
                .put("placeholder", module.placeholder());
        if (module.defaultPort() > 0) {
            input.put("default_port", module.defaultPort());
        }
        if (!module.schemes().isEmpty()) {
            input.put("schemes", new JsonArray(module.schemes()));
        }
        if (!module.defaultFor().isEmpty()) {
            input.put(
                    "default_for",
                    new JsonArray(
                            module.defaultFor().stream().map(InputType::id).toList()));
        }
        return input;
    }

    private static JsonObject option(OptionDescription option) {
        JsonObject json = new JsonObject()
                .put("name", option.name())
                .put("type", option.type().id())
                .put("title", option.title())
                .put("description", option.description())
                .put("default", option.defaultValue());
        if (!option.values().isEmpty()) {
            return json.put("values", new JsonArray(option.values()));
        }
        switch (option.type()) {
            case INTEGER -> json.put("min", option.min()).put("max", option.max());
            case STRING -> json.put("max_length", option.maxLength());
            case ARRAY -> json.put("max_length", option.maxLength()).put("max_items", option.maxItems());
            case BOOLEAN -> {}
        }
        if (option.pattern() != null) {
            json.put("pattern", option.pattern().pattern());
        }
        return json;
    }

    private static JsonObject field(FieldDescription field) {
        JsonObject json = new JsonObject()
                .put("name", field.name())
                .put("type", field.type().id())
                .put("title", field.title())
                .put("description", field.description())
                .put("nullable", field.nullable())
                .put("volatile", field.isVolatile());
        if (field.nullText() != null) {
            json.put("null_text", field.nullText());
        }
        if (field.group() != null) {
            json.put("group", field.group());
        }
        if (!field.values().isEmpty()) {
            json.put("values", new JsonArray(field.values()));
        }
        if (field.type() == FieldType.ARRAY) {
            json.put("items", field.items().id()).put("ordered", field.ordered());
        }
        if (!field.volatileMembers().isEmpty()) {
            json.put("volatile_members", new JsonArray(field.volatileMembers()));
        }
        if (!field.members().isEmpty()) {
            json.put("members", array(field.members(), ToolDocuments::field));
        }
        return json;
    }

    private static JsonObject finding(FindingCode finding) {
        return new JsonObject()
                .put("code", finding.code())
                .put("title", finding.title())
                .put("level", finding.level().id())
                .put("consequence", finding.consequence().id())
                .put("field", finding.field())
                .put("message", finding.message())
                .put("action", finding.action())
                .put("reference", finding.reference())
                .put("reference_url", finding.referenceUrl());
    }

    private static JsonObject headline(Headline.Declaration declared) {
        return new JsonObject().put("condition", declared.condition()).put("text", declared.text());
    }

    private static <T> JsonArray array(List<T> items, Function<T, JsonObject> writer) {
        JsonArray array = new JsonArray();
        items.forEach(item -> array.add(writer.apply(item)));
        return array;
    }
}
