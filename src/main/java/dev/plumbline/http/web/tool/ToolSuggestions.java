package dev.plumbline.http.web.tool;

import dev.plumbline.check.InputType;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.TargetParser;
import dev.plumbline.http.web.layout.Links;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tools that accept an input, the most likely first.
 *
 * @param input the stripped input; can be empty
 * @param selected the form of the selected tool; null if no tool accepts the input
 * @param error why no tool accepts the input, or null
 */
public record ToolSuggestions(
        String input, List<Suggestion> suggestions, @Nullable CheckForm selected, @Nullable String error) {
    private static final int VISIBLE = 8;

    private static final List<InputType> DEFAULT_ORDER = List.of(
            InputType.HOST_PORT, InputType.URL, InputType.HOST, InputType.DOMAIN, InputType.IP, InputType.EMAIL);

    /** @param target the target that the tool would check */
    public record Suggestion(ModuleDescription module, String target, boolean selected) {

        /** The path of the home page with this tool selected. */
        public String link(String input) {
            return "/?target=" + Links.encoded(input) + "&tool=" + module.module();
        }
    }

    /** The first suggestions, and the selected one. */
    public List<Suggestion> visible() {
        return suggestions.stream()
                .filter(suggestion -> suggestion.selected() || suggestions.indexOf(suggestion) < VISIBLE)
                .toList();
    }

    /** All other suggestions. */
    public List<Suggestion> more() {
        return suggestions.stream()
                .filter(suggestion -> !visible().contains(suggestion))
                .toList();
    }

    /** @param tool the selected tool; null or a tool that does not accept the input selects the first suggestion */
    static ToolSuggestions of(List<ModuleDescription> modules, String text, @Nullable String tool) {
        String input = text.strip();
        if (input.isEmpty()) {
            return new ToolSuggestions("", List.of(), null, null);
        }
        Map<ModuleDescription, String> targets = new LinkedHashMap<>();
        String error = null;
        for (ModuleDescription module : modules) {
            try {
                targets.put(module, TargetParser.parse(module, input).text());
            } catch (InvalidTargetException e) {
                String domain = domainOfEmail(module, input);
                if (domain != null) {
                    targets.put(module, domain);
                } else if (error == null || module.input() == InputType.DOMAIN) {
                    error = e.getMessage();
                }
            }
        }
        if (targets.isEmpty()) {
            return new ToolSuggestions(input, List.of(), null, error);
        }
        List<ModuleDescription> ranked = rank(input, targets.keySet());
        ModuleDescription selected = ranked.stream()
                .filter(module -> module.module().equals(tool))
                .findFirst()
                .orElse(ranked.get(0));
        List<Suggestion> suggestions = ranked.stream()
                .map(module -> new Suggestion(module, String.valueOf(targets.get(module)), module.equals(selected)))
                .toList();
        CheckForm form = CheckForm.of(selected, String.valueOf(targets.get(selected)), Map.of());
        return new ToolSuggestions(input, suggestions, form, null);
    }

    /** The domain of an e-mail address as the target of a module that does not accept addresses; otherwise null. */
    private static @Nullable String domainOfEmail(ModuleDescription module, String input) {
        int at = input.lastIndexOf('@');
        if (at < 0 || input.indexOf('/') >= 0) {
            return null;
        }
        try {
            TargetParser.email(input);
            return TargetParser.parse(module, input.substring(at + 1)).text();
        } catch (InvalidTargetException e) {
            return null;
        }
    }

    /** Ranks tools by the input type that the input resembles most. Hostnames resemble all types equally. */
    private static List<ModuleDescription> rank(String input, Collection<ModuleDescription> modules) {
        List<InputType> first;
        if (input.indexOf('@') >= 0 && input.indexOf('/') < 0) {
            first = List.of(InputType.EMAIL, InputType.DOMAIN, InputType.HOST);
        } else if (input.indexOf('/') >= 0) {
            first = List.of(InputType.URL);
        } else if (input.matches("[0-9.]+|\\[?[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*]?")) {
            first = List.of(InputType.IP, InputType.HOST);
        } else if (input.matches(".*:[0-9]+")) {
            first = List.of(InputType.HOST_PORT);
        } else {
            return roundRobin(modules);
        }
        List<InputType> order =
                Stream.concat(first.stream(), DEFAULT_ORDER.stream()).distinct().toList();
        return modules.stream()
                .sorted(Comparator.comparingInt((ModuleDescription module) -> order.indexOf(module.input()))
                        .thenComparing(ModuleDescription::title))
                .toList();
    }

    /** The first tool of each category, then the second of each, and so on. */
    private static List<ModuleDescription> roundRobin(Collection<ModuleDescription> modules) {
        List<ToolList.Group> groups =
                ToolList.matching(List.copyOf(modules), "").groups();
        List<ModuleDescription> all = new ArrayList<>();
        for (int round = 0; all.size() < modules.size(); round++) {
            for (ToolList.Group group : groups) {
                if (round < group.tools().size()) {
                    all.add(group.tools().get(round));
                }
            }
        }
        return all;
    }
}
