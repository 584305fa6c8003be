package dev.plumbline.cli;

import dev.plumbline.account.AccountEmail;
import dev.plumbline.account.ApiKeyRequest;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.cli.report.ChangeFormat;
import dev.plumbline.cli.report.ReportFormat;
import dev.plumbline.portfolio.LineChange;
import dev.plumbline.result.Verdict;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters of the options of all commands. */
public final class OptionConverters {
    private static final Verdict[] FAIL_ON = {Verdict.WARN, Verdict.FAIL, Verdict.ERROR};
    private static final int MAX_CONCURRENCY = 1000;
    private static final int MAX_LISTED = 100_000;
    private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,5})([mhd])");
    private static final Duration MAX_DURATION = Duration.ofDays(3660);

    private OptionConverters() {}

    /** Registers the converters that the type of an option selects. */
    public static void register(CommandLine line) {
        line.registerConverter(ReportFormat.class, text -> find(ReportFormat.values(), text))
                .registerConverter(ChangeFormat.class, text -> find(ChangeFormat.values(), text))
                .registerConverter(LineChange.Kind.class, text -> find(LineChange.Kind.values(), text))
                .registerConverter(
                        SummaryCommand.SummaryFormat.class, text -> find(SummaryCommand.SummaryFormat.values(), text))
                .registerConverter(JobResultJoiner.Format.class, text -> find(JobResultJoiner.Format.values(), text))
                .registerConverter(JobCommand.LineFormat.class, text -> find(JobCommand.LineFormat.values(), text))
                .registerConverter(Verdict.class, text -> find(FAIL_ON, text))
                .registerConverter(AccountEmail.class, OptionConverters::email)
                .registerConverter(Plan.class, OptionConverters::plan)
                .registerConverter(Scope.class, OptionConverters::scope)
                .registerConverter(Duration.class, OptionConverters::duration);
    }

    /** The values of {@code --fail-on} for help and completion. */
    static final class FailOn implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(FAIL_ON).map(Verdict::id).iterator();
        }
    }

    /** The values of {@code --change} for help and completion. */
    static final class Changes implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(LineChange.Kind.values())
                    .map(LineChange.Kind::id)
                    .iterator();
        }
    }

    /** The plans for help and completion. */
    static final class Plans implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Plan.values()).map(Plan::id).iterator();
        }
    }

    /** The scopes of API keys for help and completion. */
    static final class Scopes implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Scope.ids().iterator();
        }
    }

    /** The modules for completion. */
    static final class Modules implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ModuleCatalogue.load().names().iterator();
        }
    }

    static final class Concurrency implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return positive(text, MAX_CONCURRENCY);
        }
    }

    static final class ListLimit implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return positive(text, MAX_LISTED);
        }
    }

    private static int positive(String text, int max) {
        int value = text.matches("\\d{1,6}") ? Integer.parseInt(text) : 0;
        if (value < 1 || value > max) {
            throw new TypeConversionException("must be an integer from 1 to " + max + ", not '" + text + "'");
        }
        return value;
    }

    static final class KeyName implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            String fault = ApiKeyRequest.validateName(text);
            if (fault != null) {
                throw new TypeConversionException(fault);
            }
            return text;
        }
    }

    private static AccountEmail email(String text) {
        try {
            return AccountEmail.parse(text);
        } catch (IllegalArgumentException invalid) {
            throw new TypeConversionException(invalid.getMessage());
        }
    }

    private static Plan plan(String text) {
        try {
            return Plan.of(text);
        } catch (IllegalArgumentException unknown) {
            throw new TypeConversionException("The plan must be free or pro.");
        }
    }

    private static Scope scope(String text) {
        Scope scope = Scope.of(text.toLowerCase(Locale.ROOT));
        if (scope == null) {
            throw new TypeConversionException("Allowed scopes: " + String.join(", ", Scope.ids()) + ".");
        }
        return scope;
    }

    /** A duration in minutes, hours or days: 30m, 12h, 90d. */
    private static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text);
        Duration duration = !matcher.matches()
                ? Duration.ZERO
                : switch (matcher.group(2)) {
                    case "m" -> Duration.ofMinutes(Long.parseLong(matcher.group(1)));
                    case "h" -> Duration.ofHours(Long.parseLong(matcher.group(1)));
                    default -> Duration.ofDays(Long.parseLong(matcher.group(1)));
                };
        if (duration.isZero() || duration.compareTo(MAX_DURATION) > 0) {
            throw new TypeConversionException("'" + text + "' is not a valid duration. Examples: 90d, 12h, 30m.");
        }
        return duration;
    }

    private static <E extends Enum<E>> E find(E[] values, String text) {
        for (E value : values) {
            if (name(value).equals(text)) {
                return value;
            }
        }
        List<String> names = Arrays.stream(values).map(OptionConverters::name).toList();
        throw new TypeConversionException(
                "must be " + (values.length == 1 ? "" : "one of ") + String.join(", ", names) + ", not '" + text + "'");
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
