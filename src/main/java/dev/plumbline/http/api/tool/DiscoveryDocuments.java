package dev.plumbline.http.api.tool;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.ServiceLinks;
import dev.plumbline.http.api.StaticDocument;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** The discovery documents of the API: the API catalog (RFC 9727) and llms.txt (llmstxt.org). */
public final class DiscoveryDocuments {
    private static final String LINKSET =
            "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";

    private static final String HTML = "text/html";
    private static final String PROBE_DOCUMENTATION = ServiceLinks.DOCUMENTATION + "#way-prometheus";
    private static final String MCP_DOCUMENTATION = ServiceLinks.DOCUMENTATION + "#way-mcp";

    private final StaticDocument catalog;
    private final StaticDocument llmsText;

    /**
     * @param contract whose summary, description and tags are copied
     * @param publicUrl the public base URL of the service
     * @param mcp whether the service has {@code /mcp}, which the contract does not describe
     */
    public DiscoveryDocuments(ModuleCatalogue modules, ApiContract contract, String publicUrl, boolean mcp) {
        JsonObject published = contract.published();
        boolean probe = published.getJsonObject("paths").containsKey("/probe");
        this.catalog =
                new StaticDocument(catalog(publicUrl, probe, mcp).toBuffer(), LINKSET, ServiceLinks.catalog(publicUrl));
        this.llmsText = new StaticDocument(
                Buffer.buffer(llmsText(modules, published, publicUrl, probe, mcp)), "text/plain; charset=utf-8", null);
    }

    public List<ApiOperation> operations() {
        return List.of(
                new ApiOperation("getApiCatalog", catalog::send), new ApiOperation("getLlmsText", llmsText::send));
    }

    /** Returns the catalog as a linkset (RFC 9264). */
    private static JsonObject catalog(String url, boolean probe, boolean mcp) {
        JsonArray description = link(url + ServiceLinks.DESCRIPTION, "application/json");
        JsonArray apis = new JsonArray()
                .add(new JsonObject()
                        .put("anchor", url + "/api/v1")
                        .put("service-desc", description)
                        .put("service-doc", link(url + ServiceLinks.DOCUMENTATION, HTML))
                        .put("service-meta", link(url + ServiceLinks.LLMS_TEXT, "text/plain")));
        if (probe) {
            apis.add(new JsonObject()
                    .put("anchor", url + "/probe")
                    .put("service-desc", description)
                    .put("service-doc", link(url + PROBE_DOCUMENTATION, HTML)));
        }
        if (mcp) {
            apis.add(new JsonObject()
                    .put("anchor", url + ServiceLinks.MCP)
                    .put("service-doc", link(url + MCP_DOCUMENTATION, HTML)));
        }
        return new JsonObject().put("linkset", apis);
    }

    private static JsonArray link(String href, String type) {
        return new JsonArray().add(new JsonObject().put("href", href).put("type", type));
    }

    private static String llmsText(
            ModuleCatalogue modules, JsonObject contract, String url, boolean probe, boolean mcp) {
        JsonObject info = contract.getJsonObject("info");
        StringBuilder text = new StringBuilder(
                """
                # %s

                > %s

                %s

                `GET %s/api/v1/instant/MODULE/TARGET` runs a check and returns its result as JSON. Percent-encode the \
                target. Options are query parameters.

                ## API

                """
                        .formatted(info.getString("title"), info.getString("summary"), description(info), url));
        entry(text, "openapi.json", url + ServiceLinks.DESCRIPTION, "OpenAPI 3.1 description of all operations.");
        entry(text, "Tools list", url + "/api/v1/tools", "Input, options, fields and findings of all modules as JSON.");
        entry(text, "Limits", url + "/api/v1/limits", "The quotas of the client, with the remaining requests.");
        if (probe) {
            entry(
                    text,
                    "Prometheus",
                    url + PROBE_DOCUMENTATION,
                    "`GET " + url + "/probe?module=MODULE&target=TARGET` returns the result of a check as metrics.");
        }
        if (mcp) {
            entry(
                    text,
                    "MCP",
                    url + MCP_DOCUMENTATION,
                    "`" + url + ServiceLinks.MCP + "` is a Model Context Protocol server. Each module is a tool.");
        }
        text.append("\n## Documentation\n\n");
        entry(
                text,
                "API reference",
                url + ServiceLinks.DOCUMENTATION,
                "Ways to use the service, quotas and problem types.");
        for (Object member : contract.getJsonArray("tags")) {
            JsonObject tag = (JsonObject) member;
            String name = tag.getString("name");
            entry(text, name, url + ServiceLinks.DOCUMENTATION + '/' + name, tag.getString("description"));
        }
        text.append("\n## Modules\n\n");
        for (ModuleDescription module : modules.descriptions()) {
            entry(text, module.module(), url + "/api/v1/tools/" + module.module(), module.summary());
        }
        return text.toString();
    }

    private static void entry(StringBuilder text, String name, String url, String description) {
        text.append("- [%s](%s): %s\n".formatted(name, url, description));
    }

    /** Returns the first paragraph, without the policies that follow. */
    private static String description(JsonObject info) {
        String description = info.getString("description");
        int end = description.indexOf("\n\n");
        return end < 0 ? description : description.substring(0, end);
    }
}
