package dev.plumbline.http.web.docs;

import dev.plumbline.http.web.layout.MarkdownText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value as a schema describes it, as a tree.
 *
 * @param name of the member that it is; empty where it is none
 * @param type in words, for example {@code list of strings or null}
 * @param reference the schema that has the rest; null if there is none
 * @param limits what else holds of it, in words
 * @param members of the object that it is, or of the objects in the list that it is
 */
public record SchemaNode(
        String name,
        String type,
        @Nullable String reference,
        boolean required,
        MarkdownText description,
        List<String> limits,
        List<SchemaNode> members) {}
