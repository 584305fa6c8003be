package dev.plumbline.http.web.tool;

import java.util.ArrayList;
import java.util.List;

/**
 * Links to the checks of a target, for the template checktabs.jte.
 *
 * @param visible includes the current check
 * @param more collapsed
 */
public record CheckTabs(List<Tab> visible, List<Tab> more) {
    private static final int VISIBLE = 6;

    /** @param path of the report */
    public record Tab(String title, String path, boolean current) {}

    /** @param current the name of the module whose report is displayed */
    public static CheckTabs of(List<ToolMatcher.Match> matches, String current) {
        List<Tab> visible = new ArrayList<>();
        List<Tab> more = new ArrayList<>();
        for (ToolMatcher.Match match : matches) {
            Tab tab = new Tab(
                    match.module().title(),
                    match.path(),
                    match.module().module().equals(current));
            (tab.current || visible.size() < VISIBLE ? visible : more).add(tab);
        }
        return new CheckTabs(visible, more);
    }
}
