package dev.plumbline.check;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All modules, sorted by identifier. */
public final class ModuleCatalogue {
    private final Map<String, ModuleDefinition<?>> modules;

    public ModuleCatalogue(Iterable<? extends ModuleDefinition<?>> found) {
        List<ModuleDefinition<?>> sorted = new ArrayList<>();
        found.forEach(sorted::add);
        sorted.sort((a, b) -> a.description().module().compareTo(b.description().module()));
        Map<String, ModuleDefinition<?>> byName = new LinkedHashMap<>();
        for (ModuleDefinition<?> module : sorted) {
            if (byName.put(module.description().module(), module) != null) {
                throw new IllegalStateException(
                        "two modules are called " + module.description().module());
            }
        }
        modules = Collections.unmodifiableMap(byName);
    }

    /** The modules that this program was built with. */
    @SuppressWarnings({"rawtypes", "unchecked"})
    public static ModuleCatalogue load() {
        List<ModuleDefinition<?>> found = new ArrayList<>();
        for (ModuleDefinition module : ServiceLoader.load(ModuleDefinition.class)) {
            found.add(module);
        }
        for (CheckModule module : ServiceLoader.load(CheckModule.class)) {
            found.add(SheetModule.load(module));
        }
        return new ModuleCatalogue(found);
    }

    /** Returns the modules with these values in their option {@code resolver}. */
    public ModuleCatalogue choosing(Collection<String> resolvers) {
        List<ModuleDefinition<?>> offered = new ArrayList<>();
        for (ModuleDefinition<?> module : modules.values()) {
            ModuleDescription description = module.description().choosing(resolvers);
            offered.add(description == module.description() ? module : new Offered<>(module, description));
        }
        return new ModuleCatalogue(offered);
    }

    /** A module under another description. */
    private record Offered<E>(ModuleDefinition<E> module, ModuleDescription description)
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

    /** The module of this name, or null. */
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
