package dev.plumbline.http.web.report;

import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.http.web.layout.Links;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Builds the parts of composite reports from the fields {@code parts} and {@code areas}. */
final class CompositeViewBuilder {
    /** The fields that reports show as parts and areas. */
    static final Set<String> FIELDS = Set.of(CompositeViewBuilder.PARTS, CompositeViewBuilder.AREAS);

    private static final String PARTS = "parts";
    private static final String AREAS = "areas";

    private static final List<String> MOST_SEVERE_FIRST = List.of("fail", "warn", "error", "pass");

    private final ModuleCatalogue modules;

    CompositeViewBuilder(ModuleCatalogue modules) {
        this.modules = modules;
    }

    /** @return null if the module is not a composite or the result does not have parts */
    @Nullable
    CompositeView of(ModuleDescription composite, JsonObject fields) {
        List<JsonObject> rows = rows(fields.getValue(PARTS));
        if (!composite.composite() || rows.isEmpty()) {
            return null;
        }
        Map<String, String> areaOf = new LinkedHashMap<>();
        for (CompositePart part : modules.parts(composite.module())) {
            areaOf.put(part.module().module(), part.area());
        }
        Map<String, List<CompositeView.Part>> parts = new LinkedHashMap<>();
        composite.areas().keySet().forEach(area -> parts.put(area, new ArrayList<>()));
        for (JsonObject row : rows) {
            // a stored result can have a part that has been removed from the catalogue
            parts.computeIfAbsent(areaOf.getOrDefault(string(row, "module"), ""), area -> new ArrayList<>())
                    .add(part(row));
        }
        JsonObject areas = fields.getValue(AREAS) instanceof JsonObject object ? object : new JsonObject();
        List<CompositeView.Area> views = new ArrayList<>();
        parts.forEach((id, members) -> {
            if (!members.isEmpty()) {
                members.sort(Comparator.comparingInt(part -> MOST_SEVERE_FIRST.indexOf(part.verdict())));
                views.add(area(id, composite.areas().getOrDefault(id, "Other"), areas.getValue(id), members));
            }
        });
        return new CompositeView(views);
    }

    /** Removes the findings that the rows of the parts contain. */
    static List<ReportView.FindingView> withoutPartFindings(List<ReportView.FindingView> findings) {
        return findings.stream()
                .filter(finding -> !PARTS.equals(finding.field()))
                .toList();
    }

    /** A list of parts, or an object whose members are parts by the names of their modules. */
    private static List<JsonObject> rows(@Nullable Object parts) {
        Stream<?> values = Stream.of();
        if (parts instanceof JsonArray list) {
            values = list.stream();
        } else if (parts instanceof JsonObject object) {
            values = object.stream()
                    .filter(part -> part.getValue() instanceof JsonObject)
                    .map(part -> ((JsonObject) part.getValue())
                            .copy()
                            .put("module", part.getKey().replace('_', '-')));
        }
        return values.filter(JsonObject.class::isInstance)
                .map(JsonObject.class::cast)
                .toList();
    }

    private static CompositeView.Area area(
            String id, String title, @Nullable Object values, List<CompositeView.Part> parts) {
        if (!(values instanceof JsonObject area)) {
            return new CompositeView.Area(id, title, null, null, null, parts);
        }
        return new CompositeView.Area(
                id, title, area.getString("verdict"), area.getString("grade"), area.getInteger("score"), parts);
    }

    private CompositeView.Part part(JsonObject row) {
        String module = string(row, "module");
        String target = string(row, "target");
        String verdict = string(row, "verdict");
        ModuleDefinition<?> definition = modules.find(module);
        JsonObject finding = row.containsKey("message") ? row : object(row, "top_finding");
        JsonObject error = row.getValue("error") instanceof String code
                ? new JsonObject().put("message", "Error: `" + code + "`.")
                : object(row, "error");
        JsonObject reason =
                verdict.equals("error") || string(finding, "message").isEmpty() ? error : finding;
        boolean explained = !verdict.equals("pass");
        return new CompositeView.Part(
                definition == null ? module : definition.description().title(),
                verdict,
                explained ? string(reason, "message") : "",
                explained ? string(reason, "action") : "",
                definition == null || target.isEmpty() ? null : Links.report(module, target, Map.of()));
    }

    private static JsonObject object(JsonObject row, String name) {
        return row.getValue(name) instanceof JsonObject object ? object : new JsonObject();
    }

    private static String string(JsonObject row, String name) {
        return row.getValue(name) instanceof String text ? text : "";
    }
}
