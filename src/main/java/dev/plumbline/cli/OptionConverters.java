package dev.plumbline.cli;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.cli.report.ReportFormat;
import dev.plumbline.result.Verdict;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters of the options of {@code check} and {@code job} commands. */
final class OptionConverters {
    private OptionConverters() {}

    static final class Format implements ITypeConverter<ReportFormat> {
        @Override
        public ReportFormat convert(String text) {
            return find(ReportFormat.values(), text);
        }
    }

    static final class JobFormat implements ITypeConverter<JobResultJoiner.Format> {
        @Override
        public JobResultJoiner.Format convert(String text) {
            return find(JobResultJoiner.Format.values(), text);
        }
    }

    /** Also lists the values for help and completion. */
    static final class FailOn implements ITypeConverter<Verdict>, Iterable<String> {
        private static final Verdict[] VALUES = {Verdict.WARN, Verdict.FAIL, Verdict.ERROR};

        @Override
        public Verdict convert(String text) {
            return find(VALUES, text);
        }

        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(VALUES).map(Verdict::id).iterator();
        }
    }

    static final class Concurrency implements ITypeConverter<Integer> {
        private static final int MAX = 1000;

        @Override
        public Integer convert(String text) {
            if (!text.matches("\\d{1,4}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > MAX) {
                throw new TypeConversionException("must be an integer from 1 to " + MAX + ", not '" + text + "'");
            }
            return Integer.parseInt(text);
        }
    }

    private static <E extends Enum<E>> E find(E[] values, String text) {
        for (E value : values) {
            if (name(value).equals(text)) {
                return value;
            }
        }
        List<String> names = Arrays.stream(values).map(OptionConverters::name).toList();
        throw new TypeConversionException("must be one of " + String.join(", ", names) + ", not '" + text + "'");
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** The message for a module that does not exist. */
    static String unknownModule(String name) {
        return "Unknown module '%s'. Modules: %s."
                .formatted(name, String.join(", ", ModuleCatalogue.load().names()));
    }
}
