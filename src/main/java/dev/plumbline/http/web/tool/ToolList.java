package dev.plumbline.http.web.tool;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.http.web.layout.InputTypeLabels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Tools in their groups.
 *
 * @param query what was searched for; empty for nothing
 */
public record ToolList(String query, List<Group> groups, int count) {
    private static final List<String> ORDER = List.of("web", "tls", "dns", "mail", "registry", "network");

    /** Tools of one kind. */
    public record Group(String id, String title, List<ModuleDescription> tools) {}

    /** Those in which every word is found. */
    static ToolList matching(List<ModuleDescription> all, String query) {
        List<ModuleDescription> found = all.stream()
                .filter(tool -> matches(tool, query.toLowerCase(Locale.ROOT)))
                .toList();
        Map<String, List<ModuleDescription>> byCategory = new LinkedHashMap<>();
        ORDER.forEach(id -> byCategory.put(id, new ArrayList<>()));
        found.forEach(tool -> byCategory
                .computeIfAbsent(tool.category(), id -> new ArrayList<>())
                .add(tool));
        List<Group> groups = new ArrayList<>();
        byCategory.forEach((id, tools) -> {
            if (!tools.isEmpty()) {
                groups.add(new Group(id, InputTypeLabels.category(id), tools));
            }
        });
        return new ToolList(query, groups, found.size());
    }

    private static boolean matches(ModuleDescription tool, String query) {
        String text = String.join(
                        " ",
                        tool.module(),
                        tool.title(),
                        tool.summary(),
                        tool.category(),
                        InputTypeLabels.category(tool.category()),
                        InputTypeLabels.name(tool.input()),
                        String.join(
                                " ",
                                tool.fields().stream()
                                        .map(field -> field.title())
                                        .toList()))
                .toLowerCase(Locale.ROOT);
        for (String word : query.strip().split("\\s+", -1)) {
            if (!text.contains(word)) {
                return false;
            }
        }
        return true;
    }
}
