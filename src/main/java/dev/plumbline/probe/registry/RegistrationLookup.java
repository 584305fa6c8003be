package dev.plumbline.probe.registry;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The registration of a domain, from RDAP or WHOIS.
 *
 * @param domain a registrable domain in lower-case A-labels
 * @param time when the registration was looked up
 * @param registration null if no RDAP or WHOIS server is known for the domain
 * @param rdapError why RDAP failed, null if it did not fail or was not used
 * @param referralError why the WHOIS server of the registrar was not evaluated, so that its values are unknown; null if
 *     it was evaluated or there is none
 */
public record RegistrationLookup(
        String domain,
        Instant time,
        @Nullable RegistrationRecord registration,
        RegistrationSource source,
        @Nullable CheckError rdapError,
        @Nullable CheckError referralError) {

    /**
     * Looks up a domain by RDAP. If that fails or no RDAP server is known, by WHOIS. Fails as {@link #byWhois} does, or
     * with the error of RDAP if no WHOIS server is known.
     */
    public static Future<RegistrationLookup> byAnySource(CheckContext context, String domain) {
        Deadline half = context.deadline().atMost(context.deadline().remainingMillis() / 2);
        return byRdap(context.within(half), domain).transform(result -> {
            if (result.failed() && !(result.cause() instanceof CheckFailure)) {
                return Future.failedFuture(result.cause());
            }
            if (result.succeeded() && result.result().registration() != null) {
                return Future.succeededFuture(result.result());
            }
            CheckError error = result.cause() instanceof CheckFailure failure ? failure.error() : null;
            // A retry of the check would repeat the RDAP request, so wait for the WHOIS rate limit instead.
            return byWhois(error == null ? context : context.patiently(), domain, error);
        });
    }

    /** Fails with {@code registry_unavailable} or {@code rate_limited}, and as the rate limiter of registries does. */
    public static Future<RegistrationLookup> byRdap(CheckContext context, String domain) {
        return context.probe(RdapProbe.class)
                .lookup(context, domain)
                .compose(response -> response.isEmpty()
                        ? Future.succeededFuture(unsupported(context, domain))
                        : context.executeBlocking(() -> parse(response.get(), domain))
                                .map(registration -> new RegistrationLookup(
                                        domain,
                                        context.clock().instant(),
                                        registration,
                                        RegistrationSource.RDAP,
                                        null,
                                        null)));
    }

    /** Fails with {@code registry_unavailable} or {@code rate_limited}, and as the rate limiter of registries does. */
    public static Future<RegistrationLookup> byWhois(CheckContext context, String domain) {
        return byWhois(context, domain, null);
    }

    private static Future<RegistrationLookup> byWhois(
            CheckContext context, String domain, @Nullable CheckError rdapError) {
        return context.probe(WhoisProbe.class).lookup(context, domain).compose(found -> {
            if (!found.responses().isEmpty()) {
                return context.executeBlocking(
                        () -> parse(found, domain, context.clock().instant(), rdapError));
            }
            return rdapError == null
                    ? Future.succeededFuture(unsupported(context, domain))
                    : Future.failedFuture(new CheckFailure(rdapError));
        });
    }

    private static RegistrationRecord parse(RdapResponse response, String domain) throws CheckFailure {
        if (!response.found()) {
            return RegistrationRecord.NOT_REGISTERED;
        }
        RegistrationRecord registration = RdapDomainParser.read(response.body(), domain);
        if (registration == null) {
            throw response.invalid(domain);
        }
        return registration;
    }

    private static RegistrationLookup parse(
            WhoisLookup found, String domain, Instant time, @Nullable CheckError rdapError) throws CheckFailure {
        WhoisResponse first = found.responses().get(0);
        if (WhoisParser.isRateLimited(first.text())) {
            throw new CheckFailure(rateLimited(first));
        }
        RegistrationRecord registration = WhoisParser.read(first.text(), domain);
        CheckError referralError = null;
        if (Boolean.TRUE.equals(registration.registered())) {
            referralError = found.referralError();
            for (WhoisResponse next :
                    found.responses().subList(1, found.responses().size())) {
                if (WhoisParser.isRateLimited(next.text())) {
                    referralError = rateLimited(next);
                } else {
                    registration = registration.or(WhoisParser.read(next.text(), domain));
                }
            }
        }
        return new RegistrationLookup(
                domain,
                time,
                referralError == null ? registration : registration.withUnknownSource(),
                RegistrationSource.WHOIS,
                rdapError,
                referralError);
    }

    private static CheckError rateLimited(WhoisResponse response) {
        return new CheckError(
                ErrorCode.RATE_LIMITED,
                "The WHOIS server " + response.server() + " rejected the request because of its rate limit.");
    }

    private static RegistrationLookup unsupported(CheckContext context, String domain) {
        return new RegistrationLookup(domain, context.clock().instant(), null, RegistrationSource.NONE, null, null);
    }
}
