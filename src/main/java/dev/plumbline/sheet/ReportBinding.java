package dev.plumbline.sheet;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.google.common.base.CaseFormat;
import com.google.common.primitives.Primitives;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Verifies that a record has the declared fields as its components, and reads its values. The components of a nested
 * record with {@link JsonUnwrapped} count as components of the outer record, with the value null if the nested record
 * is null.
 */
public final class ReportBinding {
    /** Types of components without members, by the field type that they correspond to. */
    private static final Map<Class<?>, FieldType> PLAIN = Map.ofEntries(
            Map.entry(Boolean.class, FieldType.BOOLEAN),
            Map.entry(Integer.class, FieldType.INTEGER),
            Map.entry(Long.class, FieldType.INTEGER),
            Map.entry(Double.class, FieldType.NUMBER),
            Map.entry(String.class, FieldType.STRING),
            Map.entry(Instant.class, FieldType.TIME),
            Map.entry(Object.class, FieldType.OBJECT),
            Map.entry(Map.class, FieldType.OBJECT));

    /** The accessors to call one after the other, by record type and field name, in declared order. */
    private final Map<Class<?>, Map<String, List<Method>>> accessors = new LinkedHashMap<>();

    private final String module;

    /**
     * A component of a record or of a nested record.
     *
     * @param path the accessors to call one after the other
     */
    private record Component(AnnotatedType type, List<Method> path) {}

    private ReportBinding(String module) {
        this.module = module;
    }

    /** @param faults receives a sentence for each mismatch */
    public static ReportBinding of(Class<?> report, List<FieldDescription> fields, List<String> faults) {
        ReportBinding binding = new ReportBinding(report.getName());
        binding.bind(report, fields, "", faults);
        return binding;
    }

    /** The values by field name, nested records as maps, enum constants in lower case. */
    public Map<String, @Nullable Object> values(Record report) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        Map<String, List<Method>> methods = accessors.get(report.getClass());
        if (methods == null) {
            throw new IllegalStateException(report.getClass() + " is not part of " + module);
        }
        methods.forEach((name, path) -> {
            Object value = report;
            for (Method accessor : path) {
                value = value == null ? null : invoke(accessor, value);
            }
            values.put(name, value(value));
        });
        return values;
    }

    private @Nullable Object value(@Nullable Object value) {
        if (value instanceof Record nested) {
            return values(nested);
        }
        if (value instanceof Enum<?> constant) {
            return id(constant);
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> items = new ArrayList<>(list.size());
            list.forEach(item -> items.add(value(item)));
            return items;
        }
        return value;
    }

    private static @Nullable Object invoke(Method accessor, @Nullable Object report) {
        try {
            return accessor.invoke(report);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + accessor, e);
        }
    }

    private void bind(Class<?> type, List<FieldDescription> fields, String path, List<String> faults) {
        Map<String, List<Method>> methods = new LinkedHashMap<>();
        accessors.put(type, methods);
        Map<String, Component> components = new LinkedHashMap<>();
        collect(type, List.of(), components);
        for (FieldDescription field : fields) {
            Component component = components.remove(field.name());
            if (component == null) {
                faults.add(fault(path, field, type.getSimpleName() + " has no such component"));
                continue;
            }
            methods.put(field.name(), component.path());
            boolean nullable = component.type().isAnnotationPresent(Nullable.class);
            if (nullable != field.nullable()) {
                faults.add(fault(
                        path,
                        field,
                        nullable
                                ? "the component is @Nullable; add ? to the type"
                                : "nullable, but the component is not @Nullable"));
            }
            compare(component.type(), field, path, faults);
        }
        for (String unknown : new TreeSet<>(components.keySet())) {
            faults.add("component " + path + unknown + ": the sheet declares no such field");
        }
    }

    private static void collect(Class<?> type, List<Method> outer, Map<String, Component> components) {
        for (RecordComponent component : type.getRecordComponents()) {
            Method accessor = component.getAccessor();
            accessor.setAccessible(true);
            List<Method> path =
                    Stream.concat(outer.stream(), Stream.of(accessor)).toList();
            if (accessor.isAnnotationPresent(JsonUnwrapped.class)) {
                collect(component.getType(), path, components);
            } else {
                String name = CaseFormat.LOWER_CAMEL.to(CaseFormat.LOWER_UNDERSCORE, component.getName());
                components.put(name, new Component(component.getAnnotatedType(), path));
            }
        }
    }

    private void compare(AnnotatedType annotated, FieldDescription field, String path, List<String> faults) {
        Type type = annotated.getType();
        Class<?> raw = asClass(type);
        if (raw == List.class) {
            Type item = ((AnnotatedParameterizedType) annotated).getAnnotatedActualTypeArguments()[0].getType();
            Class<?> itemClass = asClass(item);
            if (field.type() != FieldType.ARRAY || field.items() != type(itemClass)) {
                faults.add(mismatch(path, field, "List<" + itemClass.getSimpleName() + ">"));
            } else {
                descend(itemClass, field, path, faults);
            }
        } else if (field.type() != type(raw)) {
            faults.add(mismatch(path, field, raw.getSimpleName()));
        } else {
            descend(raw, field, path, faults);
        }
    }

    private void descend(Class<?> type, FieldDescription field, String path, List<String> faults) {
        if (type.isRecord()) {
            bind(type, field.members(), path + field.name() + '.', faults);
        } else if (!field.members().isEmpty()) {
            faults.add(fault(path, field, "has members, but " + type.getSimpleName() + " is not a record"));
        }
        if (type.isEnum()) {
            Set<String> ids = Arrays.stream(type.getEnumConstants())
                    .map(constant -> id((Enum<?>) constant))
                    .collect(Collectors.toCollection(TreeSet::new));
            if (!ids.equals(new TreeSet<>(field.values()))) {
                faults.add(fault(
                        path, field, "values " + field.values() + ", but " + type.getSimpleName() + " has " + ids));
            }
        }
    }

    private static String mismatch(String path, FieldDescription field, String type) {
        String items = field.type() == FieldType.ARRAY ? " of " + field.items().id() : "";
        return fault(
                path, field, "declared as " + field.type().id() + items + ", but the component is of type " + type);
    }

    private static String fault(String path, FieldDescription field, String text) {
        return "field " + path + field.name() + ": " + text;
    }

    private static @Nullable FieldType type(Class<?> type) {
        if (type.isRecord()) {
            return FieldType.OBJECT;
        }
        return type.isEnum() ? FieldType.STRING : PLAIN.get(Primitives.wrap(type));
    }

    private static String id(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    public static Class<?> asClass(Type type) {
        return type instanceof ParameterizedType parameterized
                ? (Class<?>) parameterized.getRawType()
                : (Class<?>) type;
    }
}
