package dev.plumbline.module.mail;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.dns.MissingName;
import dev.plumbline.module.mail.record.MailHosts;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.module.reference.DanglingReferences.Reference;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/** The DKIM keys of a domain at given or common selectors (RFC 6376). */
@AutoService(RegisteredModule.class)
public final class Dkim implements CheckModule<Dkim.Evidence, Dkim.Report, Dkim.Findings> {
    private static final String SUFFIX = "._domainkey.";
    private static final String SELECTORS = "selectors";

    /** A selector that is not in use, to detect wildcard records. */
    private static final String UNUSED = "plumbline-unused-selector";

    /** The maximum number of selectors to test because of CNAME records. */
    private static final int MAX_SUGGESTED = 10;

    private static final int MAX_ERROR_FINDINGS = 3;

    /** The maximum number of TXT records of a selector that are read; a valid selector has one. */
    private static final int MAX_TEXTS = 20;

    public record Report(
            List<Row> keys, int foundCount, int weakCount, List<DanglingReferences.Row> danglingReferences) {}

    /** A key. */
    public record Row(String selector, String type, @Nullable Integer bits, List<String> flags, boolean valid) {}

    public interface Findings extends DanglingReferences.Findings {
        void noKeyFound(int count, String domain);

        void noSelectors(String domain);

        void notRequired(String domain);

        void selectorWithoutKey(Collection<String> selectors, String domain);

        void keyInvalid(String selector, String error);

        void keyTypeUnknown(String selector, String type);

        void severalRecords(int count, String selector, String domain);

        void keyTooShort(String selector, int bits);

        void keyShort(String selector, int bits);

        void keyLong(String selector, int bits);

        void sha1Only(String selector);

        void serviceExcludesMail(String selector);

        void testMode(List<String> selectors);

        void selectorRevoked(List<String> selectors);

        void selectorAliasDangling(String selector, String target);

        void wildcardKey(String domain);

        void ed25519Only(List<String> selectors);

        void lookupFailed(Collection<String> selectors, String reason);
    }

    /**
     * The lookup of one selector.
     *
     * @param texts the TXT records at the end of the CNAME chain
     * @param alias the end of the CNAME chain; null if there is none
     * @param missing the name that does not exist: the selector or {@code alias}; null unless its absence is proven
     * @param error why the lookup failed; null if it succeeded
     */
    record Lookup(
            String selector,
            List<String> texts,
            @Nullable String alias,
            @Nullable MissingName missing,
            @Nullable CheckError error) {
        List<String> keys() {
            return texts.stream().limit(MAX_TEXTS).filter(DkimKey::resembles).toList();
        }
    }

    private record Found(Row row, DkimKey key) {}

    /**
     * @param requested whether the option names the selectors
     * @param noSelectors whether the name {@code _domainkey} does not exist, so that no selector can exist (RFC 8020)
     * @param parked whether the domain neither accepts nor sends mail
     * @param wildcard the lookup of a selector that is not in use
     * @param lookups by selector, in the order of the tests
     * @param dangling the selectors whose CNAME record refers to a name that does not exist
     */
    public record Evidence(
            String domain,
            boolean requested,
            boolean noSelectors,
            boolean parked,
            Lookup wildcard,
            List<Lookup> lookups,
            DanglingReferences dangling) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String text = target.text();
        int prefix = text.indexOf(SUFFIX);
        String domain = prefix < 0 ? text : text.substring(prefix + SUFFIX.length());
        List<String> requested = prefix < 0
                ? context.options().list(SELECTORS).stream()
                        .map(selector -> selector.toLowerCase(Locale.ROOT))
                        .distinct()
                        .toList()
                : List.of(text.substring(0, prefix));
        DnsProbe dns = context.probe(DnsProbe.class);
        return dns.admit(context, domain)
                .compose(admitted -> dns.query(context, domain, Type.A))
                .compose(DnsProbe::requireName)
                .compose(exists -> examine(context, domain, requested));
    }

    private static Future<Evidence> examine(CheckContext context, String domain, List<String> requested) {
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<MailHosts> hosts = MailHosts.lookup(context, domain);
        Future<DnsLookupResult> txt = dns.lookup(context, domain, "TXT");
        Future<DnsLookupResult> parent = dns.lookup(context, SUFFIX.substring(1) + domain, "TXT");
        Future<Lookup> wildcard = lookup(context, domain, UNUSED);
        return Future.all(hosts, txt, parent, wildcard).compose(done -> {
            Optional<String> spf = txt.result().texts().stream()
                    .filter(record -> record.startsWith("v=spf1"))
                    .findFirst();
            List<String> names = Stream.concat(
                            hosts.result().names().stream(), DkimSelectors.domainsOf(spf.orElse("")).stream())
                    .toList();
            boolean parked = hosts.result().nullMx()
                    && spf.map(String::strip).filter("v=spf1 -all"::equals).isPresent();
            boolean given = !requested.isEmpty();
            List<String> selectors = given ? requested : DkimSelectors.candidates(names);
            return ContextFutures.all(selectors, selector -> lookup(context, domain, selector))
                    .compose(first -> given ? Future.succeededFuture(first) : more(context, domain, first))
                    .compose(all -> DanglingReferences.find(context, dangling(domain, wildcard.result(), all))
                            .map(dangling -> new Evidence(
                                    domain,
                                    given,
                                    parent.result().nxdomain(),
                                    parked,
                                    wildcard.result(),
                                    all,
                                    dangling)));
        });
    }

    /** A wildcard or DNAME record makes every selector an alias. */
    private static Stream<Reference> dangling(String domain, Lookup wildcard, List<Lookup> lookups) {
        return lookups.stream()
                .filter(lookup -> lookup.alias() != null && wildcard.alias() == null)
                .flatMap(lookup -> Reference.of(lookup.selector() + SUFFIX + domain, lookup.missing()));
    }

    /** Adds the selectors of the services to which CNAME records point. */
    private static Future<List<Lookup>> more(CheckContext context, String domain, List<Lookup> tested) {
        List<String> known = tested.stream().map(Lookup::selector).toList();
        List<String> aliases = tested.stream()
                .flatMap(lookup -> Stream.ofNullable(lookup.alias()))
                .toList();
        List<String> suggested = DkimSelectors.suggestedBy(aliases).stream()
                .filter(selector -> !known.contains(selector))
                .limit(MAX_SUGGESTED)
                .toList();
        return ContextFutures.all(suggested, selector -> lookup(context, domain, selector))
                .map(more -> Stream.concat(tested.stream(), more.stream()).toList());
    }

    private static Future<Lookup> lookup(CheckContext context, String domain, String selector) {
        return context.probe(DnsProbe.class)
                .lookup(context, selector + SUFFIX + domain, "TXT")
                .map(result -> new Lookup(selector, result.texts(), result.alias(), result.missing(), result.error()));
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        List<Lookup> failed = evidence.lookups().stream()
                .filter(lookup -> lookup.error() != null)
                .toList();
        if (!failed.isEmpty()) {
            CheckError error = Objects.requireNonNull(failed.get(0).error());
            if (failed.size() == evidence.lookups().size()) {
                findings.error(error);
                return null;
            }
            findings.lookupFailed(failed.stream().map(Lookup::selector).toList(), error.message());
        }
        List<Found> found = new ArrayList<>();
        List<String> without = new ArrayList<>();
        for (Lookup lookup : evidence.lookups()) {
            if (lookup.error() != null) {
                continue;
            }
            if (lookup.texts().isEmpty() || isWildcard(evidence, lookup)) {
                without.add(lookup.selector());
                if (lookup.alias() != null
                        && lookup.texts().isEmpty()
                        && !evidence.dangling().contains(lookup.selector() + SUFFIX + evidence.domain())) {
                    findings.selectorAliasDangling(lookup.selector(), lookup.alias());
                }
            } else {
                found.add(evaluateKey(evidence.domain(), lookup, findings));
            }
        }
        if (!evidence.requested() && !evidence.wildcard().keys().isEmpty()) {
            findings.wildcardKey(evidence.domain());
            String text = evidence.wildcard().keys().get(0);
            found.add(evaluateKey(evidence.domain(), new Lookup("*", List.of(text), null, null, null), findings));
        }
        reportGroups(found, findings);
        evidence.dangling().report(findings);
        if (evidence.requested()) {
            reportIfAny(without, missing -> findings.selectorWithoutKey(missing, evidence.domain()));
        } else if (found.isEmpty()) {
            if (!failed.isEmpty() && !evidence.noSelectors()) {
                findings.error(failed.get(0).error());
                return null;
            }
            reportAbsence(evidence, without.size(), findings);
        }
        int weak = (int) found.stream().filter(each -> each.key().weak()).count();
        return new Report(
                found.stream().map(Found::row).toList(),
                found.size(),
                weak,
                evidence.dangling().rows());
    }

    /** Whether the records of a selector are those of a wildcard: each selector has them, so they are not its key. */
    private static boolean isWildcard(Evidence evidence, Lookup lookup) {
        Lookup wildcard = evidence.wildcard();
        return lookup.texts().equals(wildcard.texts())
                && Objects.equals(lookup.alias(), wildcard.alias())
                && (!evidence.requested() || lookup.keys().isEmpty());
    }

    private static void reportAbsence(Evidence evidence, int count, Findings findings) {
        if (evidence.parked()) {
            findings.notRequired(evidence.domain());
        } else if (evidence.noSelectors()) {
            findings.noSelectors(evidence.domain());
        } else {
            findings.noKeyFound(count, evidence.domain());
        }
    }

    private static Found evaluateKey(String domain, Lookup lookup, Findings findings) {
        String selector = lookup.selector();
        boolean single = lookup.texts().size() == 1;
        if (!single) {
            findings.severalRecords(lookup.texts().size(), selector, domain);
        }
        List<String> candidates = lookup.keys().isEmpty() ? lookup.texts() : lookup.keys();
        DkimKey key = DkimKey.parse(candidates.get(0));
        key.errors().stream().limit(MAX_ERROR_FINDINGS).forEach(error -> findings.keyInvalid(selector, error));
        Integer bits = key.bits();
        if (!key.knownType()) {
            findings.keyTypeUnknown(selector, key.type());
        } else if (bits != null && key.weak()) {
            if (bits < DkimKey.MIN_BITS) {
                findings.keyTooShort(selector, bits);
            } else {
                findings.keyShort(selector, bits);
            }
        } else if (bits != null && bits > DkimKey.MAX_BITS) {
            findings.keyLong(selector, bits);
        }
        if (key.sha1Only()) {
            findings.sha1Only(selector);
        }
        if (key.excludesMail()) {
            findings.serviceExcludesMail(selector);
        }
        return new Found(new Row(selector, key.type(), bits, key.flags(), single && key.usable()), key);
    }

    private static void reportGroups(List<Found> found, Findings findings) {
        reportIfAny(selectors(found, each -> each.key().testing() && !each.key().revoked()), findings::testMode);
        reportIfAny(selectors(found, each -> each.key().revoked()), findings::selectorRevoked);
        if (found.stream().noneMatch(each -> each.row().valid() && each.key().isRsa())) {
            reportIfAny(selectors(found, each -> each.row().valid()), findings::ed25519Only);
        }
    }

    private static List<String> selectors(List<Found> found, Predicate<Found> condition) {
        return found.stream()
                .filter(condition)
                .map(each -> each.row().selector())
                .toList();
    }
}
