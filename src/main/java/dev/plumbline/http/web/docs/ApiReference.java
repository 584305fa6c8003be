package dev.plumbline.http.web.docs;

import dev.plumbline.http.web.layout.MarkdownText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The API as openapi.json describes it, for people to read.
 *
 * @param server where it is
 * @param schemas the bodies that several operations have, by name
 * @param problems what {@code code} and {@code type} of a problem mean
 */
public record ApiReference(
        String server, MarkdownText description, List<Group> groups, List<Named> schemas, List<ProblemType> problems) {

    /** The operations for one purpose. */
    public record Group(String id, String title, MarkdownText description, List<Call> calls) {}

    /**
     * An operation.
     *
     * @param id its operationId, which is also its anchor
     * @param access who may call it, in words; empty for everybody
     * @param body null if it takes none
     * @param answers of success
     * @param refusals of failure
     */
    public record Call(
            String id,
            String method,
            String path,
            String summary,
            MarkdownText description,
            String access,
            List<Parameter> parameters,
            @Nullable Body body,
            List<Answer> answers,
            List<Answer> refusals,
            List<Example> examples) {}

    /**
     * A parameter.
     *
     * @param place {@code path}, {@code query} or {@code header}
     * @param example null where there is none
     */
    public record Parameter(String place, SchemaNode shape, @Nullable String example) {}

    /** A body and what it looks like. */
    public record Body(String type, MarkdownText description, SchemaNode shape, @Nullable String example) {}

    /** What an operation may answer, in each of the forms it has. */
    public record Answer(String status, MarkdownText description, List<String> headers, List<Body> bodies) {}

    /** How to call it. */
    public record Example(String language, String text) {}

    /** A schema that others refer to. */
    public record Named(String name, SchemaNode shape) {}

    /**
     * A kind of problem.
     *
     * @param code which is also its anchor
     */
    public record ProblemType(String code, int status, String title, MarkdownText why, MarkdownText action) {}
}
