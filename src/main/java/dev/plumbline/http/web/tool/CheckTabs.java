package dev.plumbline.http.web.tool;

import dev.plumbline.http.web.layout.Labels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Links to the checks of a target, for the template checktabs.jte.
 *
 * @param visible includes the current check
 * @param more collapsed, by category
 */
public record CheckTabs(List<Tab> visible, List<Group> more) {
    private static final int VISIBLE = 6;

    /** @param path of the report */
    public record Tab(String title, String path, boolean current) {}

    /** @param category its title */
    public record Group(String category, List<Tab> tabs) {}

    public int moreCount() {
        return more.stream().mapToInt(group -> group.tabs.size()).sum();
    }

    /** @param current the name of the module whose report is displayed */
    public static CheckTabs of(List<ToolMatcher.Match> matches, String current) {
        List<Tab> visible = new ArrayList<>();
        Map<String, Group> more = new LinkedHashMap<>();
        for (ToolMatcher.Match match : matches) {
            Tab tab = new Tab(
                    match.module().title(),
                    match.path(),
                    match.module().module().equals(current));
            if (tab.current || visible.size() < VISIBLE) {
                visible.add(tab);
            } else {
                more.computeIfAbsent(match.module().category(), id -> new Group(Labels.category(id), new ArrayList<>()))
                        .tabs
                        .add(tab);
            }
        }
        return new CheckTabs(visible, List.copyOf(more.values()));
    }
}
