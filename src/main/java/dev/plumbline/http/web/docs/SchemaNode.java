package dev.plumbline.http.web.docs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A JSON schema for display.
 *
 * @param name the name of the property; empty for a root schema
 * @param type for example {@code array of strings or null}
 * @param reference the href of the referenced schema, or null
 * @param required whether the property is required
 * @param description Markdown; can be empty
 * @param constraints for example {@code at most 100 characters}
 * @param properties of the object, or of the objects in the array
 */
public record SchemaNode(
        String name,
        String type,
        @Nullable String reference,
        boolean required,
        String description,
        List<String> constraints,
        List<SchemaNode> properties) {}
