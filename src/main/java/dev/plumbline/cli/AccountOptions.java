package dev.plumbline.cli;

import dev.plumbline.account.AccountEmail;
import dev.plumbline.account.ApiKeyRequest;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters of the options of {@code account} and {@code key} commands. */
final class AccountOptions {
    private AccountOptions() {}

    static final class Email implements ITypeConverter<AccountEmail> {
        @Override
        public AccountEmail convert(String text) {
            try {
                return AccountEmail.parse(text);
            } catch (IllegalArgumentException none) {
                throw new TypeConversionException(none.getMessage());
            }
        }
    }

    static final class PlanName implements ITypeConverter<Plan> {
        @Override
        public Plan convert(String text) {
            try {
                return Plan.of(text);
            } catch (IllegalArgumentException none) {
                throw new TypeConversionException("The plan must be free or pro.");
            }
        }
    }

    static final class ScopeName implements ITypeConverter<Scope> {
        @Override
        public Scope convert(String text) {
            Scope scope = Scope.of(text.toLowerCase(Locale.ROOT));
            if (scope == null) {
                throw new TypeConversionException("Allowed scopes: " + String.join(", ", Scope.ids()) + ".");
            }
            return scope;
        }
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

    /** A duration in minutes, hours or days: 30m, 12h, 90d. */
    static final class Validity implements ITypeConverter<Duration> {
        private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,5})([mhd])");
        private static final Duration LONGEST = Duration.ofDays(3660);

        @Override
        public Duration convert(String text) {
            Matcher matcher = FORM.matcher(text);
            Duration lifetime = !matcher.matches()
                    ? Duration.ZERO
                    : switch (matcher.group(2)) {
                        case "m" -> Duration.ofMinutes(Long.parseLong(matcher.group(1)));
                        case "h" -> Duration.ofHours(Long.parseLong(matcher.group(1)));
                        default -> Duration.ofDays(Long.parseLong(matcher.group(1)));
                    };
            if (lifetime.isZero() || lifetime.compareTo(LONGEST) > 0) {
                throw new TypeConversionException("'" + text + "' is not a valid duration. Examples: 90d, 12h, 30m.");
            }
            return lifetime;
        }
    }
}
