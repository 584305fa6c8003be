package dev.plumbline.check;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All modules, sorted by identifier. */
public final class ModuleCatalogue {
    private final Map<String, ModuleDefinition<?>> modules;

    public ModuleCatalogue(Iterable<? extends ModuleDefinition<?>> definitions) {
        List<ModuleDefinition<?>> sorted = new ArrayList<>();
        definitions.forEach(sorted::add);
        sorted.sort(Comparator.comparing(module -> module.description().module()));
        Map<String, ModuleDefinition<?>> byName = new LinkedHashMap<>();
        for (ModuleDefinition<?> module : sorted) {
            if (byName.put(module.description().module(), module) != null) {
                throw new IllegalStateException(
                        "duplicate module name: " + module.description().module());
            }
        }
        modules = Collections.unmodifiableMap(byName);
    }

    /** Loads the modules of the program. */
    @SuppressWarnings({"rawtypes", "unchecked"})
    public static ModuleCatalogue load() {
        List<ModuleDefinition<?>> definitions = new ArrayList<>();
        for (ModuleDefinition module : ServiceLoader.load(ModuleDefinition.class)) {
            definitions.add(module);
        }
        for (CheckModule module : ServiceLoader.load(CheckModule.class)) {
            definitions.add(SheetModule.load(module));
        }
        return new ModuleCatalogue(definitions);
    }

    /** Returns the modules with these values of the option {@code resolver} in addition. */
    public ModuleCatalogue withResolvers(Collection<String> resolvers) {
        List<ModuleDefinition<?>> configured = new ArrayList<>();
        for (ModuleDefinition<?> module : modules.values()) {
            ModuleDescription description = module.description().withResolvers(resolvers);
            configured.add(description == module.description() ? module : new WithDescription<>(module, description));
        }
        return new ModuleCatalogue(configured);
    }

    /** A module under another description. */
    private record WithDescription<E>(ModuleDefinition<E> module, ModuleDescription description)
            implements ModuleDefinition<E> {
        @Override
        public int requests(Options options) {
            return module.requests(options);
        }

        @Override
        public Future<E> collect(Target target, CheckContext context) {
            return module.collect(target, context);
        }

        @Override
        public Evaluation evaluate(E evidence, Options options) {
            return module.evaluate(evidence, options);
        }
    }

    /** The module with this name; null if there is none. */
    public @Nullable ModuleDefinition<?> find(String module) {
        return modules.get(module);
    }

    public Set<String> names() {
        return modules.keySet();
    }

    public List<ModuleDescription> descriptions() {
        return modules.values().stream().map(ModuleDefinition::description).toList();
    }
}
