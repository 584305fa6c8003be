package dev.plumbline.module.mail;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.module.mail.mtasts.MtaStsLookup;
import dev.plumbline.module.mail.mtasts.MtaStsPolicy;
import dev.plumbline.module.mail.mtasts.MtaStsPolicy.Mode;
import dev.plumbline.probe.dns.TlsaLookup;
import dev.plumbline.result.CheckError;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether senders that use DANE (RFC 7672) or MTA-STS (RFC 8461) deliver mail to servers without STARTTLS.
 *
 * @param daneHosts the servers with secure TLSA records, to which senders that use DANE do not deliver
 * @param mtaSts whether senders that use MTA-STS do not deliver to any of the servers
 * @param error why a part of this is unknown; null if all is known
 */
record TlsRequirement(Set<String> daneHosts, boolean mtaSts, @Nullable CheckError error) {
    static final TlsRequirement NONE = new TlsRequirement(Set.of(), false, null);

    /**
     * Looks up what DANE and, for the servers of a domain, MTA-STS require. Uses at most half of the time that remains.
     *
     * @param domain null if it is unknown
     */
    static Future<TlsRequirement> lookup(CheckContext context, @Nullable String domain, List<String> hosts, int port) {
        CheckContext share = context.patiently()
                .within(context.deadline().atMost(context.deadline().remainingMillis() / 2));
        List<Future<TlsRequirement>> parts = new ArrayList<>();
        hosts.forEach(host -> parts.add(dane(share, host, port)));
        if (domain != null) {
            parts.add(mtaSts(share, domain));
        }
        parts.replaceAll(
                part -> part.recover(CheckFailure.otherwise(error -> new TlsRequirement(Set.of(), false, error))));
        return Future.all(parts).map(all -> merge(all.list()));
    }

    private static TlsRequirement merge(List<TlsRequirement> parts) {
        return new TlsRequirement(
                parts.stream().flatMap(part -> part.daneHosts().stream()).collect(Collectors.toUnmodifiableSet()),
                parts.stream().anyMatch(TlsRequirement::mtaSts),
                parts.stream()
                        .flatMap(part -> Stream.ofNullable(part.error()))
                        .findFirst()
                        .orElse(null));
    }

    private static Future<TlsRequirement> dane(CheckContext context, String host, int port) {
        return TlsaLookup.of(context, host, port)
                .map(tlsa -> new TlsRequirement(
                        tlsa.requiresTls() ? Set.of(host) : Set.of(),
                        false,
                        tlsa.lookup().error()));
    }

    private static Future<TlsRequirement> mtaSts(CheckContext context, String domain) {
        return MtaStsLookup.texts(context, domain)
                .compose(texts -> MtaStsLookup.VERSION.records(texts).isEmpty()
                        ? Future.succeededFuture(NONE)
                        : MtaStsLookup.fetch(context, domain, MtaStsLookup.HTTPS_PORT, texts)
                                .map(TlsRequirement::of));
    }

    private static TlsRequirement of(MtaStsLookup sts) {
        MtaStsPolicy policy = sts.applied();
        CheckError error = sts.error();
        // Senders do not apply a policy that they cannot retrieve.
        return new TlsRequirement(
                Set.of(),
                policy != null && policy.mode() == Mode.ENFORCE,
                error == null || error.code().targetFault() ? null : error);
    }
}
