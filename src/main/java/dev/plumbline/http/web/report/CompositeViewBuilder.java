package dev.plumbline.http.web.report;

import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.result.Consequence;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Builds the problems, areas and parts of composite reports. */
final class CompositeViewBuilder {
    private static final String SCORE = "score";
    private static final String GRADE = "grade";
    private static final String PARTS = "parts";
    private static final String AREAS = "areas";
    private static final String CAUSES = "causes";
    private static final String FIRST = "fix_first";

    /** The fields that reports show in another form. */
    static final Set<String> FIELDS = Set.of(SCORE, GRADE, PARTS, AREAS, CAUSES, FIRST, "part_count", "failed_count");

    private static final List<String> MOST_SEVERE_FIRST = List.of("fail", "warn", "error", "pass");
    private static final Comparator<CompositeView.Part> ORDER = Comparator.comparingInt(
                    (CompositeView.Part part) -> MOST_SEVERE_FIRST.indexOf(part.verdict()))
            .thenComparing(CompositeView.Part::title);

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
        List<JsonObject> causes = rows(fields.getValue(CAUSES));
        Set<String> affected = affected(causes);
        Map<String, CompositeView.Part> byModule = new LinkedHashMap<>();
        Map<String, List<CompositeView.Part>> parts = new LinkedHashMap<>();
        composite.areas().keySet().forEach(area -> parts.put(area, new ArrayList<>()));
        for (JsonObject row : rows) {
            CompositeView.Part part = part(row, affected.contains(string(row, "module")));
            byModule.put(string(row, "module"), part);
            // a stored result can have a part that has been removed from the catalogue
            parts.computeIfAbsent(areaOf.getOrDefault(string(row, "module"), ""), area -> new ArrayList<>())
                    .add(part);
        }
        JsonObject areas = fields.getValue(AREAS) instanceof JsonObject object ? object : new JsonObject();
        List<CompositeView.Area> views = new ArrayList<>();
        parts.forEach((id, members) -> {
            if (!members.isEmpty()) {
                members.sort(ORDER);
                views.add(area(id, composite.areas().getOrDefault(id, "Other"), areas.getValue(id), members));
            }
        });
        List<CompositeView.CauseView> problems =
                causes.stream().map(cause -> causeView(cause, byModule)).toList();
        int first = Math.min(rows(fields.getValue(FIRST)).size(), problems.size());
        return new CompositeView(
                fields.getValue(CAUSES) instanceof JsonArray ? summary(causes, views, byModule) : null,
                fields.getString(GRADE),
                fields.getInteger(SCORE),
                problems.subList(0, first),
                problems.subList(first, problems.size()),
                causes.stream().anyMatch(CompositeViewBuilder::isUnavailable),
                views);
    }

    private static boolean isUnavailable(JsonObject cause) {
        return string(cause, "level").equals("fail")
                && string(cause, "consequence").equals(Consequence.UNAVAILABLE.id());
    }

    private static String summary(
            List<JsonObject> causes, List<CompositeView.Area> areas, Map<String, CompositeView.Part> parts) {
        List<JsonObject> problems = causes.stream()
                .filter(cause -> !string(cause, "level").equals("info"))
                .toList();
        if (problems.isEmpty()) {
            return "No problems found." + (causes.isEmpty() ? "" : " Some checks were not determined.");
        }
        Set<CompositeView.Part> unavailable = problems.stream()
                .filter(CompositeViewBuilder::isUnavailable)
                .flatMap(CompositeViewBuilder::partsOf)
                .map(parts::get)
                .filter(part -> part != null && List.of("fail", "error").contains(part.verdict()))
                .collect(Collectors.toSet());
        List<String> titles = areas.stream()
                .filter(area -> area.parts().stream().anyMatch(unavailable::contains))
                .map(CompositeView.Area::title)
                .toList();
        return titles.isEmpty()
                ? string(problems.get(0), "message") + ReportViewBuilder.more(problems.size() - 1)
                : doNotWork(titles) + (problems.size() == 1 ? " 1 problem." : " " + problems.size() + " problems.");
    }

    /** A sentence, for example "Website and TLS do not work." */
    private static String doNotWork(List<String> areas) {
        int last = areas.size() - 1;
        return last == 0
                ? areas.get(0) + " does not work."
                : String.join(", ", areas.subList(0, last)) + " and " + areas.get(last) + " do not work.";
    }

    /** Removes the findings that the problems contain. */
    static List<ReportView.FindingView> withoutPartFindings(List<ReportView.FindingView> findings) {
        return findings.stream()
                .filter(finding -> !PARTS.equals(finding.field()) && !CAUSES.equals(finding.field()))
                .toList();
    }

    private CompositeView.CauseView causeView(JsonObject cause, Map<String, CompositeView.Part> parts) {
        String module = string(cause, "module");
        String level = string(cause, "level");
        boolean determined = !level.equals("info");
        CompositeView.Part owner = parts.get(module);
        ModuleDefinition<?> definition = modules.find(module);
        FindingCode finding =
                definition == null ? null : definition.description().finding(string(cause, "code"));
        List<CompositeView.Part> affected = partsOf(cause)
                .map(parts::get)
                .filter(part -> part != null && part != owner)
                .sorted(ORDER)
                .toList();
        return new CompositeView.CauseView(
                determined ? level : "error",
                determined ? Consequence.of(string(cause, "consequence")).title() : "",
                finding == null ? null : finding.title(),
                definition == null ? module : definition.description().title(),
                owner == null ? null : owner.path(),
                string(cause, "message"),
                string(cause, "action"),
                affected);
    }

    /** A list of objects, or an object whose members are objects by the names of their modules. */
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
                id, title, area.getString("verdict"), area.getString(GRADE), area.getInteger(SCORE), parts);
    }

    /** The modules that only have the problems of others. */
    private static Set<String> affected(List<JsonObject> causes) {
        Set<String> modules =
                causes.stream().flatMap(CompositeViewBuilder::partsOf).collect(Collectors.toSet());
        causes.forEach(cause -> modules.remove(string(cause, "module")));
        return modules;
    }

    private CompositeView.Part part(JsonObject row, boolean affected) {
        String module = string(row, "module");
        String target = string(row, "target");
        String verdict = string(row, "verdict");
        ModuleDefinition<?> definition = modules.find(module);
        JsonObject finding = row.containsKey("message") ? row : object(row, "top_finding");
        String error = row.getValue("error") instanceof JsonObject object
                ? string(object, "message")
                : string(row, "error_message");
        String fact = string(row, "headline").isEmpty() ? string(finding, "message") : string(row, "headline");
        boolean undetermined = verdict.equals("error") || fact.isEmpty();
        return new CompositeView.Part(
                definition == null ? module : definition.description().title(),
                verdict,
                undetermined ? error : fact,
                definition == null || target.isEmpty() ? null : Links.report(module, target, Map.of()),
                Boolean.TRUE.equals(row.getValue("unverified")),
                affected);
    }

    private static Stream<String> partsOf(JsonObject cause) {
        return cause.getJsonArray("parts", new JsonArray()).stream().map(Object::toString);
    }

    private static JsonObject object(JsonObject row, String name) {
        return row.getValue(name) instanceof JsonObject object ? object : new JsonObject();
    }

    private static String string(JsonObject row, String name) {
        return row.getValue(name) instanceof String text ? text : "";
    }
}
