package dev.plumbline.http.web.docs;

import dev.plumbline.http.web.layout.DisplayedLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of the API reference. Descriptions are Markdown and can be empty.
 *
 * @param server the base URL
 * @param sections the sections of the description
 * @param tags the operations and schemas by tag
 * @param problems the problem types
 * @param limits the quotas of this service
 */
public record ApiReference(
        String server,
        String description,
        List<Section> sections,
        List<Tag> tags,
        List<ProblemType> problems,
        DisplayedLimits limits) {

    /**
     * A section of the description.
     *
     * @param id its anchor
     * @param items of its list
     */
    public record Section(String id, String title, List<String> items) {}

    /** The path of the page with the operations of a tag. */
    static String path(String tag) {
        return "/docs/" + tag;
    }

    static String schemasPath(String tag) {
        return path(tag) + "/schemas";
    }

    /** The anchor of a schema. */
    static String anchor(String schema) {
        return "schema-" + schema;
    }

    /**
     * @param name in the path of its pages
     * @param modules operations that exist once per module
     * @param schemas the schemas that these operations, but not those of previous tags, refer to
     */
    public record Tag(
            String name,
            String title,
            String description,
            List<Operation> operations,
            List<ModuleOperation> modules,
            List<NamedSchema> schemas) {

        public String path() {
            return ApiReference.path(name);
        }

        public String schemasPath() {
            return ApiReference.schemasPath(name);
        }
    }

    /** An operation that is described by the page of its tool. */
    public record ModuleOperation(String id, String path, String module) {}

    /**
     * @param id the operationId, also the anchor
     * @param access the required credentials; empty without
     * @param body null without a request body
     * @param responses with a status below 400
     * @param errors with a status of 400 or more
     */
    public record Operation(
            String id,
            String method,
            String path,
            String summary,
            String description,
            String access,
            List<Parameter> parameters,
            @Nullable Body body,
            List<Response> responses,
            List<Response> errors,
            List<Example> examples) {}

    /**
     * @param location {@code path}, {@code query} or {@code header}
     * @param example or null
     */
    public record Parameter(String location, SchemaNode schema, @Nullable String example) {}

    /** A request or response body of one media type. */
    public record Body(String type, String description, SchemaNode schema, @Nullable String example) {}

    /** A response with its body in each media type. */
    public record Response(String status, String description, List<String> headers, List<Body> bodies) {}

    /** Source code that calls an operation. */
    public record Example(String language, String text) {}

    public record NamedSchema(String name, SchemaNode schema) {
        public String id() {
            return anchor(name);
        }
    }

    /** @param code also the anchor */
    public record ProblemType(String code, int status, String title, String cause, String action) {}
}
