package dev.plumbline.probe.registry;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The registration data of a domain. Values that the registry does not publish are null or empty.
 *
 * @param registered null if the response could not be interpreted
 * @param ianaId the number that IANA assigned to the registrar
 * @param statuses EPP status codes (RFC 5731 section 2.3); other values as the registry writes them
 * @param nameservers in lower case, without a trailing dot
 * @param dnssecSigned whether the registry publishes a key of the domain
 * @param complete the parts that the response lists completely. A value of another part may be missing only because the
 *     response was not understood
 */
public record RegistrationRecord(
        @Nullable Boolean registered,
        @Nullable String registrar,
        @Nullable Integer ianaId,
        @Nullable Instant created,
        @Nullable Instant updated,
        @Nullable Instant expires,
        List<String> statuses,
        List<String> nameservers,
        @Nullable Boolean dnssecSigned,
        @Nullable String abuseEmail,
        Set<Part> complete) {
    /** The parts of a response that {@link #complete} describes. */
    public enum Part {
        EXPIRY,
        STATUSES,
        NAMESERVERS
    }

    public static final RegistrationRecord NOT_REGISTERED = empty(false);
    public static final RegistrationRecord UNKNOWN = empty(null);

    public RegistrationRecord {
        statuses = List.copyOf(statuses);
        nameservers = List.copyOf(nameservers);
        complete = Set.copyOf(complete);
    }

    private static RegistrationRecord empty(@Nullable Boolean registered) {
        return new RegistrationRecord(
                registered, null, null, null, null, null, List.of(), List.of(), null, null, Set.of());
    }

    /** This record, with missing values from another source. */
    public RegistrationRecord or(RegistrationRecord other) {
        Set<Part> both = EnumSet.noneOf(Part.class);
        for (Part part : Part.values()) {
            RegistrationRecord source = isEmpty(part) && !other.isEmpty(part) ? other : this;
            if (source.complete.contains(part)) {
                both.add(part);
            }
        }
        return new RegistrationRecord(
                registered,
                first(registrar, other.registrar),
                first(ianaId, other.ianaId),
                first(created, other.created),
                first(updated, other.updated),
                first(expires, other.expires),
                statuses.isEmpty() ? other.statuses : statuses,
                nameservers.isEmpty() ? other.nameservers : nameservers,
                first(dnssecSigned, other.dnssecSigned),
                first(abuseEmail, other.abuseEmail),
                both);
    }

    /** This record if another source with missing values is unknown: empty parts are not complete. */
    RegistrationRecord withUnknownSource() {
        return new RegistrationRecord(
                registered,
                registrar,
                ianaId,
                created,
                updated,
                expires,
                statuses,
                nameservers,
                dnssecSigned,
                abuseEmail,
                complete.stream().filter(part -> !isEmpty(part)).collect(Collectors.toSet()));
    }

    private boolean isEmpty(Part part) {
        return switch (part) {
            case EXPIRY -> expires == null;
            case STATUSES -> statuses.isEmpty();
            case NAMESERVERS -> nameservers.isEmpty();
        };
    }

    private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one == null ? other : one;
    }
}
