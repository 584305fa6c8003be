package dev.plumbline.cli;

import dev.plumbline.account.ApiKeyRequest;
import dev.plumbline.account.EmailAddress;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How the options of {@code account} and {@code key} commands are read. */
final class AccountOptions {
    private AccountOptions() {}

    /** An e-mail address. */
    static final class Email implements ITypeConverter<EmailAddress> {
        @Override
        public EmailAddress convert(String text) {
            try {
                return EmailAddress.parse(text);
            } catch (IllegalArgumentException none) {
                throw new TypeConversionException(none.getMessage());
            }
        }
    }

    /** free or pro. */
    static final class PlanName implements ITypeConverter<Plan> {
        @Override
        public Plan convert(String text) {
            try {
                return Plan.of(text);
            } catch (IllegalArgumentException none) {
                throw new TypeConversionException("A plan is free or pro.");
            }
        }
    }

    /** jobs:read or jobs:write. */
    static final class ScopeName implements ITypeConverter<Scope> {
        @Override
        public Scope convert(String text) {
            Scope scope = Scope.of(text.toLowerCase(Locale.ROOT));
            if (scope == null) {
                throw new TypeConversionException("A scope is one of " + String.join(", ", Scope.ids()) + ".");
            }
            return scope;
        }
    }

    /** The name of a key. */
    static final class KeyName implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            String fault = ApiKeyRequest.nameFault(text);
            if (fault != null) {
                throw new TypeConversionException(fault);
            }
            return text;
        }
    }

    /** A time of validity: 90d, 12h, 30m. */
    static final class Validity implements ITypeConverter<Duration> {
        private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,5})([mhd])");
        private static final Duration LONGEST = Duration.ofDays(3660);

        @Override
        public Duration convert(String text) {
            Matcher matcher = FORM.matcher(text);
            Duration validity = !matcher.matches()
                    ? Duration.ZERO
                    : switch (matcher.group(2)) {
                        case "m" -> Duration.ofMinutes(Long.parseLong(matcher.group(1)));
                        case "h" -> Duration.ofHours(Long.parseLong(matcher.group(1)));
                        default -> Duration.ofDays(Long.parseLong(matcher.group(1)));
                    };
            if (validity.isZero() || validity.compareTo(LONGEST) > 0) {
                throw new TypeConversionException("'" + text + "' is no time such as 90d, 12h or 30m.");
            }
            return validity;
        }
    }
}
