package dev.plumbline.http.web.tool;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.InputType;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Finds the tools that accept an input. */
public final class ToolMatcher {
    private static final Set<InputType> WITHOUT_PORT = EnumSet.of(InputType.DOMAIN, InputType.HOST, InputType.IP);

    /** Tools that are displayed first in their category, after the default tools. */
    private static final Set<String> FREQUENT = Set.of("dns-records", "ssl-certificate");

    private static final Comparator<ModuleDescription> DEFAULT_FIRST = Comparator.comparing(
                    (ModuleDescription tool) -> tool.defaultFor().isEmpty())
            .thenComparing(tool -> !tool.composite())
            .thenComparing(tool -> !FREQUENT.contains(tool.module()));

    private final ModuleCatalogue modules;

    /** The tools by category, default tools first. */
    private final List<ModuleDescription> ordered;

    public ToolMatcher(ModuleCatalogue modules) {
        this.modules = modules;
        this.ordered = ToolList.matching(modules.descriptions(), "").groups().stream()
                .flatMap(group -> group.tools().stream().sorted(DEFAULT_FIRST))
                .toList();
    }

    /** @param target the input as a normalized target of the module */
    public record Match(ModuleDescription module, String target) {

        public String path() {
            return Links.report(module.module(), target, Map.of());
        }
    }

    /**
     * All tools that accept the input: default tools that are composites, then the first tool of each category, the
     * second of each, and so on.
     */
    public List<Match> all(String input) {
        Map<String, List<Match>> categories = new LinkedHashMap<>();
        for (ModuleDescription module : ordered) {
            try {
                Match match = match(module, input);
                boolean first = module.composite() && !module.defaultFor().isEmpty();
                categories
                        .computeIfAbsent(first ? "" : module.category(), id -> new ArrayList<>())
                        .add(match);
            } catch (InvalidTargetException notAccepted) {
                // the other tools may accept it
            }
        }
        List<Match> all = new ArrayList<>(categories.getOrDefault("", List.of()));
        categories.remove("");
        int longest = categories.values().stream().mapToInt(List::size).max().orElse(0);
        for (int round = 0; round < longest; round++) {
            for (List<Match> matches : categories.values()) {
                if (round < matches.size()) {
                    all.add(matches.get(round));
                }
            }
        }
        return all;
    }

    /**
     * The tool that checks the input if the user did not select one: the default for its type, or the first tool for
     * this type that accepts it.
     *
     * @throws InvalidTargetException if no such tool accepts the input
     */
    Match byDefault(String input) throws InvalidTargetException {
        InputType type = TargetParser.typeOf(input);
        List<ModuleDescription> candidates = new ArrayList<>();
        Stream.ofNullable(modules.defaultFor(type)).forEach(candidates::add);
        ordered.stream().filter(module -> module.input() == type).forEach(candidates::add);
        InvalidTargetException rejection = null;
        for (ModuleDescription module : candidates) {
            try {
                return match(module, input);
            } catch (InvalidTargetException rejected) {
                rejection = rejection == null ? rejected : rejection;
            }
        }
        throw rejection == null ? new InvalidTargetException("No tool accepts this type of target.") : rejection;
    }

    /**
     * The input as a target of a tool. A tool that does not accept ports or e-mail addresses checks the host.
     *
     * @throws InvalidTargetException if the tool does not accept the input
     */
    static Match match(ModuleDescription module, String input) throws InvalidTargetException {
        return new Match(
                module,
                TargetParser.parse(module, accepted(module, input.strip())).text());
    }

    private static String accepted(ModuleDescription module, String input) throws InvalidTargetException {
        return switch (TargetParser.typeOf(input)) {
            case EMAIL ->
                module.input() == InputType.EMAIL
                        ? input
                        : TargetParser.email(input).domain();
            case HOST_PORT ->
                WITHOUT_PORT.contains(module.input()) ? input.substring(0, input.lastIndexOf(':')) : input;
            default -> input;
        };
    }
}
