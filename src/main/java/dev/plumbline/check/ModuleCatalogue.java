package dev.plumbline.check;

import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.InputType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** All modules, sorted by identifier. */
public final class ModuleCatalogue {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]*");

    private final Map<String, ModuleDefinition<?>> modules;
    private final Map<InputType, ModuleDescription> defaults = new EnumMap<>(InputType.class);
    private final Map<String, List<CompositePart>> parts = new HashMap<>();

    /**
     * @throws IllegalStateException if two modules have the same name or are the default for the same type of input, or
     *     if a module declares an invalid area of a composite
     */
    public ModuleCatalogue(Iterable<? extends ModuleDefinition<?>> definitions) {
        Map<String, ModuleDefinition<?>> byName = new TreeMap<>();
        for (ModuleDefinition<?> module : definitions) {
            if (byName.put(module.description().module(), module) != null) {
                throw new IllegalStateException(
                        "duplicate module name: " + module.description().module());
            }
        }
        modules = Collections.unmodifiableMap(byName);
        for (ModuleDescription module : descriptions()) {
            for (InputType type : module.defaultFor()) {
                ModuleDescription other = defaults.put(type, module);
                if (other != null) {
                    throw new IllegalStateException("default_for: " + type.id() + " is declared by both "
                            + other.module() + " and " + module.module());
                }
            }
            if (module.composite()) {
                parts.put(module.module(), partsOf(module));
            }
        }
    }

    private List<CompositePart> partsOf(ModuleDescription composite) {
        List<String> areas = List.copyOf(composite.areas().keySet());
        List<CompositePart> found = new ArrayList<>();
        for (ModuleDescription module : descriptions()) {
            String area = module.partOf().get(composite.module());
            if (area == null) {
                continue;
            }
            if (!areas.contains(area) || module.composite()) {
                throw new IllegalStateException("part_of of %s: %s cannot be a part of %s in the area %s; areas: %s"
                        .formatted(module.module(), module.module(), composite.module(), area, areas));
            }
            found.add(new CompositePart(module, area));
        }
        found.sort(Comparator.comparing(part -> areas.indexOf(part.area())));
        return List.copyOf(found);
    }

    public static ModuleCatalogue load() {
        return load(List.of());
    }

    /**
     * Loads the modules of the program.
     *
     * @param resolvers the values of the resolver option besides the default one
     */
    public static ModuleCatalogue load(Collection<String> resolvers) {
        return load(resolvers, name -> true);
    }

    /**
     * Loads some modules of the program.
     *
     * @param resolvers see {@link #load(Collection)}
     * @param included whether to load the module with this name
     */
    @SuppressWarnings("rawtypes")
    public static ModuleCatalogue load(Collection<String> resolvers, Predicate<String> included) {
        List<ModuleDefinition<?>> definitions = new ArrayList<>();
        ServiceLoader.load(ModuleDefinition.class).forEach(definitions::add);
        Map<String, String> titles = SheetModule.sharedTitles();
        ServiceLoader.load(RegisteredModule.class).stream()
                .filter(provider -> included.test(SheetModule.name(provider.type())))
                .forEach(provider ->
                        definitions.add(SheetModule.load((CheckModule<?, ?, ?>) provider.get(), resolvers, titles)));
        return new ModuleCatalogue(definitions);
    }

    /**
     * Loads one module of the program, with its parts if it is a composite.
     *
     * @param resolvers see {@link #load(Collection)}
     */
    public static ModuleCatalogue loadOnly(Collection<String> resolvers, String module) {
        ModuleCatalogue only = load(resolvers, module::equals);
        ModuleDefinition<?> found = only.find(module);
        return found != null && found.description().composite() ? load(resolvers) : only;
    }

    /** Whether a text can be the name of a module. A target is not, because it has a dot or a colon. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** The module with this name; null if there is none. */
    public @Nullable ModuleDefinition<?> find(String module) {
        return modules.get(module);
    }

    /** The description of a module; null if it does not exist. */
    public @Nullable ModuleDescription description(String module) {
        ModuleDefinition<?> found = modules.get(module);
        return found == null ? null : found.description();
    }

    /** The module that checks an input of this type if no module was selected; null if there is none. */
    public @Nullable ModuleDescription defaultFor(InputType type) {
        return defaults.get(type);
    }

    /**
     * The parts of a composite module: in the order of its areas, and in the order of their names within an area. Empty
     * for other modules.
     */
    public List<CompositePart> parts(String composite) {
        return parts.getOrDefault(composite, List.of());
    }

    public Set<String> names() {
        return modules.keySet();
    }

    public List<ModuleDescription> descriptions() {
        return modules.values().stream().map(ModuleDefinition::description).toList();
    }
}
