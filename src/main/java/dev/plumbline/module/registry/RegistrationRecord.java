package dev.plumbline.module.registry;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a registry says of a domain, whichever way it said so. What it does not tell is null or
 * empty.
 *
 * @param registered null where the answer could not be understood
 * @param ianaId the number that IANA gave the registrar
 * @param statuses as EPP names them (RFC 5731, section 2.3) where the registry does
 * @param nameservers lower-case, without a trailing dot
 * @param dnssecSigned whether the registry publishes a key of the domain
 */
record RegistrationRecord(
        @Nullable Boolean registered,
        @Nullable String registrar,
        @Nullable Integer ianaId,
        @Nullable Instant created,
        @Nullable Instant updated,
        @Nullable Instant expires,
        List<String> statuses,
        List<String> nameservers,
        @Nullable Boolean dnssecSigned,
        @Nullable String abuseEmail) {
    static final RegistrationRecord NONE = nothing(false);
    static final RegistrationRecord UNKNOWN = nothing(null);

    RegistrationRecord {
        statuses = List.copyOf(statuses);
        nameservers = List.copyOf(nameservers);
    }

    private static RegistrationRecord nothing(@Nullable Boolean registered) {
        return new RegistrationRecord(registered, null, null, null, null, null, List.of(), List.of(), null, null);
    }

    /** The same, with what another source knows and this one does not. */
    RegistrationRecord or(RegistrationRecord other) {
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
                first(abuseEmail, other.abuseEmail));
    }

    private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one == null ? other : one;
    }
}
