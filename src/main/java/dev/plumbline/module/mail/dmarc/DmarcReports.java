package dev.plumbline.module.mail.dmarc;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import java.util.List;
import org.xbill.DNS.Type;

/** The verification of external report addresses (RFC 9990 section 3). */
final class DmarcReports {
    static final int MAX_DOMAINS = 10;

    enum Authorization {
        GRANTED,
        DENIED,

        /** The record redirects the reports to another domain, which is not allowed. */
        REDIRECTED,
        NAME_TOO_LONG,
        UNKNOWN;

        boolean isRejected() {
            return this != GRANTED && this != UNKNOWN;
        }
    }

    /**
     * A domain of report addresses that must authorize the reports.
     *
     * @param external whether it must do so by RFC 9989
     * @param externalByList whether it must do so by RFC 7489
     */
    record Destination(String domain, boolean external, boolean externalByList, Authorization authorization) {}

    private DmarcReports() {}

    /** The destinations of a record that are external by RFC 9989 or RFC 7489. */
    static Future<List<Destination>> collect(CheckContext context, DmarcRecord record, DmarcTree publisher) {
        List<String> domains = record.reportDomains.stream().limit(MAX_DOMAINS).toList();
        return ContextFutures.all(domains, domain -> destination(context, publisher, domain))
                .map(all -> all.stream()
                        .filter(destination -> destination.external() || destination.externalByList())
                        .toList());
    }

    private static Future<Destination> destination(CheckContext context, DmarcTree publisher, String domain) {
        boolean listed = !DmarcTree.listed(domain).equals(DmarcTree.listed(publisher.domain()));
        return isExternal(context, publisher, domain, listed)
                .compose(external -> external || listed
                        ? authorization(context, publisher.domain(), domain)
                                .map(outcome -> new Destination(domain, external, listed, outcome))
                        : Future.succeededFuture(new Destination(domain, false, false, Authorization.UNKNOWN)));
    }

    /** Only a subdomain of an organizational domain can have the same one. */
    private static Future<Boolean> isExternal(
            CheckContext context, DmarcTree publisher, String domain, boolean listed) {
        String organizational = publisher.organizationalDomain();
        if (organizational == null) {
            return Future.succeededFuture(listed);
        }
        if (domain.equals(publisher.domain())) {
            return Future.succeededFuture(false);
        }
        if (!("." + domain).endsWith("." + organizational)) {
            return Future.succeededFuture(true);
        }
        return DmarcTree.walk(context, domain, publisher.levels())
                .map(tree -> {
                    String other = tree.organizationalDomain();
                    return other == null ? listed : !other.equals(organizational);
                })
                .recover(CheckFailure.otherwise(error -> listed));
    }

    private static Future<Authorization> authorization(CheckContext context, String publisher, String domain) {
        DnsProbe dns = context.probe(DnsProbe.class);
        return dns.admit(context, domain)
                .compose(admitted -> dns.query(context, publisher + "._report." + DmarcTree.PREFIX + domain, Type.TXT))
                .map(response -> authorization(response.texts(), domain))
                .recover(CheckFailure.otherwise(error -> error.code() == ErrorCode.INVALID_TARGET
                        ? Authorization.NAME_TOO_LONG
                        : Authorization.UNKNOWN));
    }

    static Authorization authorization(List<String> texts, String domain) {
        List<String> records = DmarcRecord.VERSION.records(texts);
        if (records.isEmpty()) {
            return Authorization.DENIED;
        }
        boolean redirected = records.stream()
                .flatMap(text -> new DmarcRecord(text).reportDomains.stream())
                .anyMatch(other -> !other.equals(domain));
        return redirected ? Authorization.REDIRECTED : Authorization.GRANTED;
    }
}
