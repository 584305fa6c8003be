package dev.plumbline.http.api.probe;

import dev.plumbline.result.QuantityUnit;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The metric of a field with a number, a boolean or a time. Its name is {@code plumbline_probe_MODULE_FIELD} and the
 * base unit: seconds, bytes or a ratio.
 *
 * @param factor by which a number is multiplied
 */
public record FieldMetric(FieldDescription field, String name, double factor) {
    private static final String PREFIX = "plumbline_probe_";
    private static final int SECONDS_OF_DAY = 86_400;

    /** The parts of a field name that are replaced by the base unit. */
    private static final Set<String> UNIT_PARTS = Set.of("ms", "seconds", "days", "percent", "bytes");

    private record BaseUnit(String suffix, double factor) {}

    /** By unit. Bits remain bits: they are the lengths of keys. */
    private static final Map<String, BaseUnit> BASE_UNITS = Map.of(
            "ms", new BaseUnit("seconds", 1e-3),
            "s", new BaseUnit("seconds", 1),
            "days", new BaseUnit("seconds", SECONDS_OF_DAY),
            "%", new BaseUnit("ratio", 1e-2),
            "bytes", new BaseUnit("bytes", 1));

    /** The metrics of a module, in the order of its fields. */
    public static Stream<FieldMetric> of(ModuleDescription module) {
        return module.fields().stream().map(field -> of(module.module(), field)).flatMap(Stream::ofNullable);
    }

    private static @Nullable FieldMetric of(String module, FieldDescription field) {
        String prefix = PREFIX + module.replace('-', '_').toLowerCase(Locale.ROOT) + '_';
        return switch (field.type()) {
            case BOOLEAN -> new FieldMetric(field, prefix + field.name(), 1);
            case TIME -> new FieldMetric(field, prefix + field.name() + "_timestamp_seconds", 1);
            case INTEGER, NUMBER -> number(prefix, field);
            case STRING, ARRAY, OBJECT -> null;
        };
    }

    private static FieldMetric number(String prefix, FieldDescription field) {
        String unit = QuantityUnit.of(field.name(), field.description());
        BaseUnit base = unit == null ? null : BASE_UNITS.get(unit);
        if (base == null) {
            return new FieldMetric(field, prefix + field.name(), 1);
        }
        String name = Stream.concat(
                        Arrays.stream(field.name().split("_")).filter(part -> !UNIT_PARTS.contains(part)),
                        Stream.of(base.suffix))
                .collect(Collectors.joining("_"));
        return new FieldMetric(field, prefix + name, base.factor);
    }

    /** The help text: the title of the field. */
    public String help() {
        return factor == SECONDS_OF_DAY ? field.title() + " (whole days, in seconds)" : field.title();
    }

    /**
     * The value of the metric.
     *
     * @param value the value of the field, as {@link dev.plumbline.result.ResultJson#read} returns it
     * @return null if the value is null or does not have the declared type
     */
    @Nullable
    Double value(@Nullable Object value) {
        if (value instanceof Boolean flag) {
            return flag ? 1.0 : 0.0;
        }
        if (value instanceof Number number) {
            return factor == 1e-3 ? number.doubleValue() / 1000 : number.doubleValue() * factor;
        }
        return value instanceof String text && field.type() == FieldType.TIME
                ? (Double) (Instant.parse(text).toEpochMilli() / 1000.0)
                : null;
    }
}
