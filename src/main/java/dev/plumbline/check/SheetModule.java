package dev.plumbline.check;

import com.google.common.base.CaseFormat;
import dev.plumbline.result.Evaluation;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FindingBinding;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.sheet.ReportBinding;
import dev.plumbline.sheet.SheetReader;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A {@link CheckModule} bound to its sheet by {@link #load}. */
public record SheetModule<E, R extends Record, F extends FindingCollector>(
        CheckModule<E, R, F> module, ModuleDescription description, ReportBinding report, FindingBinding<F> findings)
        implements ModuleDefinition<E> {

    /**
     * Reads the sheet of a module and verifies that both agree.
     *
     * @throws IllegalStateException naming every mismatch
     */
    public static <E, R extends Record, F extends FindingCollector> SheetModule<E, R, F> load(
            CheckModule<E, R, F> module) {
        return load(module, List.of(), sharedTitles());
    }

    /**
     * As {@link #load(CheckModule)}.
     *
     * @param resolvers the values of the resolver option besides the default one
     * @param titles as {@link #sharedTitles}
     */
    static <E, R extends Record, F extends FindingCollector> SheetModule<E, R, F> load(
            CheckModule<E, R, F> module, Collection<String> resolvers, Map<String, String> titles) {
        return load(module, resolvers, titles, file -> resource(module.getClass(), file));
    }

    /** @param files the content of the file of that name, null if it does not exist */
    static <E, R extends Record, F extends FindingCollector> SheetModule<E, R, F> load(
            CheckModule<E, R, F> module,
            Collection<String> resolvers,
            Map<String, String> titles,
            Function<String, @Nullable String> files) {
        Class<?> type = module.getClass();
        String name = name(type);
        ModuleDescription description = SheetReader.read(name, resolvers, titles, files);
        List<String> faults = new ArrayList<>();
        Type[] arguments = arguments(type);
        ReportBinding report = ReportBinding.of(ReportBinding.asClass(arguments[1]), description.fields(), faults);
        @SuppressWarnings("unchecked")
        Class<F> collector = (Class<F>) ReportBinding.asClass(arguments[2]);
        FindingBinding<F> findings = FindingBinding.of(collector, description.findings(), faults);
        Set<String> fields = Set.copyOf(
                description.fields().stream().map(FieldDescription::name).toList());
        for (FindingCode code : description.findings()) {
            if (code.field() != null && !fields.contains(code.field())) {
                faults.add("finding " + code.code() + ": field " + code.field() + " is not declared");
            }
        }
        if (!faults.isEmpty()) {
            throw new IllegalStateException(
                    type.getName() + " and " + name + ".yaml do not agree:\n  " + String.join("\n  ", faults));
        }
        return new SheetModule<>(module, description, report, findings);
    }

    /** The titles of the findings that several sheets declare, by code. */
    static Map<String, String> sharedTitles() {
        return SheetReader.titles(file -> resource(SheetModule.class, "/dev/plumbline/module/" + file));
    }

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
        FindingBinding.Collected collected = new FindingBinding.Collected();
        R result = module.evaluate(evidence, options, findings.collector(collected));
        Evaluation evaluation = collected.with(result == null ? Map.of() : report.values(result));
        if (result == null && evaluation.error() == null) {
            throw new IllegalStateException(description.module() + " returned neither report nor error");
        }
        return evaluation;
    }

    private static @Nullable String resource(Class<?> type, String file) {
        try (InputStream in = type.getResourceAsStream(file)) {
            return in == null ? null : new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + file, e);
        }
    }

    static String name(Class<?> type) {
        return CaseFormat.UPPER_CAMEL.to(CaseFormat.LOWER_HYPHEN, type.getSimpleName());
    }

    private static Type[] arguments(Class<?> type) {
        for (Type candidate : type.getGenericInterfaces()) {
            if (candidate instanceof ParameterizedType parameterized
                    && parameterized.getRawType() == CheckModule.class) {
                return parameterized.getActualTypeArguments();
            }
        }
        throw new IllegalStateException(type.getName() + " does not implement CheckModule directly");
    }
}
