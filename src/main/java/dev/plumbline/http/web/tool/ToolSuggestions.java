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
import org.jspecify.annotations.Nullable;

/**
 * The tools that fit what somebody typed, the best first.
 *
 * @param typed what was typed; empty for nothing
 * @param why what is wrong with it; null unless no tool fits
 */
public record ToolSuggestions(String typed, List<Suggestion> all, @Nullable CheckForm chosen, @Nullable String why) {
    private static final int FIRST = 8;

    /**
     * A tool that fits.
     *
     * @param target what it would check
     */
    public record Suggestion(ModuleDescription module, String target, boolean chosen) {

        /** Where this tool is chosen for what was typed. */
        public String link(String typed) {
            return "/?target=" + Links.encoded(typed) + "&tool=" + module.module();
        }
    }

    /** The best, and the chosen one. */
    public List<Suggestion> first() {
        return all.stream()
                .filter(offer -> offer.chosen() || all.indexOf(offer) < FIRST)
                .toList();
    }

    public List<Suggestion> others() {
        return all.stream()
                .filter(offer -> !offer.chosen() && all.indexOf(offer) >= FIRST)
                .toList();
    }

    /**
     * @param tool the one that was chosen; the first one that fits otherwise
     */
    static ToolSuggestions of(List<ModuleDescription> modules, String typed, @Nullable String tool) {
        String text = typed.strip();
        if (text.isEmpty()) {
            return new ToolSuggestions("", List.of(), null, null);
        }
        Map<ModuleDescription, String> fitting = new LinkedHashMap<>();
        String why = null;
        for (ModuleDescription module : modules) {
            try {
                fitting.put(module, TargetParser.parse(module, text).text());
            } catch (InvalidTargetException refused) {
                String domain = domain(module, text);
                if (domain != null) {
                    fitting.put(module, domain);
                } else if (why == null || module.input() == InputType.DOMAIN) {
                    why = refused.getMessage();
                }
            }
        }
        List<InputType> order = order(text);
        List<ModuleDescription> ranked = order.isEmpty() ? inTurn(fitting.keySet()) : new ArrayList<>(fitting.keySet());
        if (!order.isEmpty()) {
            ranked.sort(Comparator.comparingInt((ModuleDescription module) -> order.indexOf(module.input()))
                    .thenComparing(ModuleDescription::title));
        }
        if (ranked.isEmpty()) {
            return new ToolSuggestions(text, List.of(), null, why);
        }
        ModuleDescription chosen = ranked.stream()
                .filter(module -> module.module().equals(tool))
                .findFirst()
                .orElse(ranked.get(0));
        List<Suggestion> offers = ranked.stream()
                .map(module -> new Suggestion(module, String.valueOf(fitting.get(module)), module.equals(chosen)))
                .toList();
        return new ToolSuggestions(
                text, offers, CheckForm.of(chosen, String.valueOf(fitting.get(chosen)), Map.of()), null);
    }

    /** Of an e-mail address that a tool does not take, the domain if it takes that; or null. */
    private static @Nullable String domain(ModuleDescription module, String text) {
        int at = text.lastIndexOf('@');
        if (at < 0 || text.indexOf('/') >= 0) {
            return null;
        }
        try {
            TargetParser.email(text);
            return TargetParser.parse(module, text.substring(at + 1)).text();
        } catch (InvalidTargetException neither) {
            return null;
        }
    }

    /**
     * The first of every kind, then the second of every kind: whoever names a site may mean its pages
     * as well as its certificate, its names or its mail.
     */
    private static List<ModuleDescription> inTurn(Collection<ModuleDescription> fitting) {
        List<List<ModuleDescription>> kinds = ToolList.matching(List.copyOf(fitting), "").groups().stream()
                .map(ToolList.Group::tools)
                .toList();
        List<ModuleDescription> all = new ArrayList<>();
        for (int turn = 0; all.size() < fitting.size(); turn++) {
            for (List<ModuleDescription> kind : kinds) {
                if (turn < kind.size()) {
                    all.add(kind.get(turn));
                }
            }
        }
        return all;
    }

    /** The kinds of targets, nearest first to what was typed; none for a name, which is of all. */
    private static List<InputType> order(String text) {
        if (text.indexOf('@') >= 0 && text.indexOf('/') < 0) {
            return List.of(
                    InputType.EMAIL,
                    InputType.DOMAIN,
                    InputType.HOST,
                    InputType.HOST_PORT,
                    InputType.URL,
                    InputType.IP);
        }
        if (text.indexOf('/') >= 0) {
            return List.of(
                    InputType.URL,
                    InputType.HOST_PORT,
                    InputType.HOST,
                    InputType.DOMAIN,
                    InputType.IP,
                    InputType.EMAIL);
        }
        boolean address = text.matches("[0-9.]+|\\[?[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*]?");
        if (address) {
            return List.of(
                    InputType.IP,
                    InputType.HOST,
                    InputType.HOST_PORT,
                    InputType.URL,
                    InputType.DOMAIN,
                    InputType.EMAIL);
        }
        boolean port = text.matches(".*:[0-9]+");
        return port
                ? List.of(
                        InputType.HOST_PORT,
                        InputType.URL,
                        InputType.HOST,
                        InputType.DOMAIN,
                        InputType.IP,
                        InputType.EMAIL)
                : List.of();
    }
}
