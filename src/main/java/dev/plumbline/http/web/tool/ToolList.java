package dev.plumbline.http.web.tool;

import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Tools by category.
 *
 * @param query the search query; empty for all tools
 * @param count of the matching tools
 */
public record ToolList(String query, List<Group> groups, int count) {
    private static final List<String> CATEGORIES = List.of("web", "tls", "dns", "mail", "registry", "network");

    public record Group(String id, String title, List<ModuleDescription> tools) {}

    /** The tools that contain every word of the query. */
    static ToolList matching(List<ModuleDescription> all, String query) {
        List<ModuleDescription> matches = all.stream()
                .filter(tool -> matches(tool, query.toLowerCase(Locale.ROOT)))
                .toList();
        Map<String, List<ModuleDescription>> byCategory = new LinkedHashMap<>();
        CATEGORIES.forEach(id -> byCategory.put(id, new ArrayList<>()));
        matches.forEach(tool -> byCategory
                .computeIfAbsent(tool.category(), id -> new ArrayList<>())
                .add(tool));
        List<Group> groups = new ArrayList<>();
        byCategory.forEach((id, tools) -> {
            if (!tools.isEmpty()) {
                groups.add(new Group(id, Labels.category(id), tools));
            }
        });
        return new ToolList(query, groups, matches.size());
    }

    private static boolean matches(ModuleDescription tool, String query) {
        String text = String.join(
                        " ",
                        tool.module(),
                        tool.title(),
                        tool.summary(),
                        tool.category(),
                        Labels.category(tool.category()),
                        Labels.inputType(tool.input()),
                        tool.fields().stream().map(FieldDescription::title).collect(Collectors.joining(" ")))
                .toLowerCase(Locale.ROOT);
        return Arrays.stream(query.strip().split("\\s+", -1)).allMatch(text::contains);
    }
}
