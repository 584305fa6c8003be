package dev.plumbline.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** All modules, sorted by identifier. */
public final class ModuleCatalogue {
    private final Map<String, ModuleDefinition<?>> modules;
    private final Map<InputType, ModuleDescription> defaults = new EnumMap<>(InputType.class);

    /** @throws IllegalStateException if two modules have the same name or are the default for the same type of input */
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
        }
    }

    /** Loads the modules of the program. */
    public static ModuleCatalogue load() {
        return load(List.of());
    }

    /**
     * Loads the modules of the program.
     *
     * @param resolvers the values of the option {@code resolver} besides the default one
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
        ServiceLoader.load(CheckModule.class).stream()
                .filter(provider -> included.test(SheetModule.name(provider.type())))
                .forEach(provider ->
                        definitions.add(SheetModule.load((CheckModule<?, ?, ?>) provider.get(), resolvers)));
        return new ModuleCatalogue(definitions);
    }

    /** The module with this name; null if there is none. */
    public @Nullable ModuleDefinition<?> find(String module) {
        return modules.get(module);
    }

    /** The module that checks an input of this type if no module was selected; null if there is none. */
    public @Nullable ModuleDescription defaultFor(InputType type) {
        return defaults.get(type);
    }

    public Set<String> names() {
        return modules.keySet();
    }

    public List<ModuleDescription> descriptions() {
        return modules.values().stream().map(ModuleDefinition::description).toList();
    }
}
