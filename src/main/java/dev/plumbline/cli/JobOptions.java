package dev.plumbline.cli;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options of a job as JSON. The types are those of the module in this program. The service validates the values,
 * because its version and its settings can differ.
 */
final class JobOptions {
    private JobOptions() {}

    /** Returns the description of a module; null if this program does not know it. */
    static @Nullable ModuleDescription module(String module) {
        return ModuleCatalogue.load(List.of(), module::equals).description(module);
    }

    static JsonObject of(@Nullable ModuleDescription module, Map<String, String> given) {
        JsonObject options = new JsonObject();
        given.forEach((name, text) -> {
            OptionDescription option = name.equals(ModuleDescription.FRESH.name())
                    ? ModuleDescription.FRESH
                    : module == null ? null : module.option(name);
            options.put(name, value(option, text));
        });
        return options;
    }

    private static Object value(@Nullable OptionDescription option, String text) {
        OptionDescription.Type type = option == null ? OptionDescription.Type.STRING : option.type();
        return switch (type) {
            case BOOLEAN -> text.matches("true|false") ? Boolean.valueOf(text) : text;
            case INTEGER -> text.matches("-?\\d{1,18}") ? Long.valueOf(text) : text;
            case ARRAY -> new JsonArray(List.of(text.split(",")));
            case STRING -> text;
        };
    }
}
