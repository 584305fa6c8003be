package dev.plumbline.module.dns;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dnssec.DenialParameters;
import dev.plumbline.dnssec.DnssecAlgorithm;
import dev.plumbline.dnssec.DnssecFailure;
import dev.plumbline.dnssec.DnssecFailure.Reason;
import dev.plumbline.dnssec.DnssecStatus;
import dev.plumbline.dnssec.SignatureValidity;
import dev.plumbline.dnssec.TrustAnchors;
import dev.plumbline.dnssec.ValidatedAnswer;
import dev.plumbline.dnssec.ZoneTrust;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.DnssecProbe;
import dev.plumbline.probe.dns.ValidatedLookup;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import dev.plumbline.tls.PublicKeys;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.DNSSEC;
import org.xbill.DNS.DSRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Validates a domain with DNSSEC from the trust anchor. */
@AutoService(RegisteredModule.class)
public final class Dnssec implements CheckModule<Dnssec.Evidence, Dnssec.Report, Dnssec.Findings> {
    /** A label that does not exist; constant per process, so that resolvers can cache the response. */
    private static final String MISSING_LABEL = "missing-" + Long.toString(new SecureRandom().nextLong() >>> 8, 36);

    private static final String DS = "ds";
    private static final int MAX_NAME_LENGTH = 253;
    private static final int SEP_FLAG = 1;
    private static final int MIN_RSA_BITS = 2_048;

    /** How the zone proves that records do not exist. */
    public enum Denial {
        NSEC,
        NSEC3
    }

    /** A zone from the trust anchor to the domain. */
    public record ChainZone(String zone, List<String> ds, List<String> dnskey, DnssecStatus status) {}

    public record Report(
            DnssecStatus status,
            List<ChainZone> chain,
            List<String> algorithms,
            @Nullable Instant rrsigExpires,
            @Nullable Denial nsec,
            @Nullable Reason failure,
            @Nullable List<String> cds,
            @Nullable List<String> cdnskey) {}

    public interface Findings extends FindingCollector {
        void signatureExpired(String records, Instant time);

        void signatureNotYetValid(String records, Instant time);

        void signatureInvalid(String records);

        void signatureMissing(String records, String name);

        void signingKeyMissing(String records);

        void keyRevoked(String records);

        void dnskeyMissing(String zone);

        void dsMismatch(String zone);

        void denialMissing(String records);

        void limitExceeded(String records);

        void tooManyIterations(String zone);

        void notSigned(String zone);

        void parentNotSigned(String name, String zone);

        void dsMissing(String zone, String ds);

        void unsupportedAlgorithm(String zone, Set<String> algorithms);

        void optOut(String name);

        void aliasBogus(String name, String target, Reason cause);

        void sha1Algorithm(String zone);

        void sha1Digest(String zone);

        void dnskeyWeak(String zone, int tag, int bits);

        void signatureExpiresSoon(Instant time);

        void nsec3Iterations(int iterations);

        void nsec3Salt(String salt);

        void dsDeletionRequested(String zone);

        void dsChangeRequested(String zone, Set<String> records);

        void cdsUnmatched(String zone, List<String> records);

        void cdsDiffersFromCdnskey(String zone);
    }

    /**
     * @param lookups of the A, SOA and DNSKEY records of the domain
     * @param alias the lookup of the A records with the targets of aliases; null if the domain is not an alias
     * @param missing the lookup of a name below the domain that does not exist; null if that name is too long
     * @param child the lookups of the CDS and CDNSKEY records
     * @param at the time of the check
     */
    public record Evidence(
            String name,
            List<ValidatedLookup> lookups,
            @Nullable ValidatedLookup alias,
            @Nullable ValidatedLookup missing,
            ChildRecords child,
            Instant at) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String name = target.text();
        DnssecProbe shared = context.probe(DnssecProbe.class);
        String ds = context.options().optionalText(DS);
        String anchor = name + ". DS " + ds;
        if (ds != null && !TrustAnchors.isValid(anchor)) {
            return Future.failedFuture(new CheckFailure(
                    ErrorCode.INVALID_TARGET,
                    "Option ds: '" + ds + "' is not a DS record. Enter the key tag, the algorithm, the digest type and"
                            + " the digest, for example the output of dnssec-dsfromkey after DS."));
        }
        DnssecProbe probe = ds == null ? shared : shared.trusting(TrustAnchors.parse(List.of(anchor)));
        return context.probe(DnsProbe.class)
                .admitWithoutAddresses(context, name)
                .compose(admitted -> {
                    List<Future<ValidatedLookup>> lookups = Stream.of(Type.A, Type.SOA, Type.DNSKEY)
                            .map(type -> probe.lookup(context, name, type, false))
                            .toList();
                    String below = MISSING_LABEL + "." + name;
                    Future<ValidatedLookup> missing = below.length() > MAX_NAME_LENGTH
                            ? Future.succeededFuture()
                            : probe.lookup(context, below, Type.A, false);
                    Future<ValidatedLookup> alias = lookups.get(0)
                            .compose(address -> address.result().last().alias() == null
                                    ? Future.succeededFuture()
                                    : probe.lookup(context, name, Type.A, true));
                    Future<ValidatedLookup> cds = probe.lookup(context, name, Type.CDS, false);
                    Future<ValidatedLookup> cdnskey = probe.lookup(context, name, Type.CDNSKEY, false);
                    return Future.all(Stream.concat(lookups.stream(), Stream.of(alias, missing, cds, cdnskey))
                                    .toList())
                            .map(done -> new Evidence(
                                    name,
                                    lookups.stream().map(Future::result).toList(),
                                    alias.result(),
                                    missing.result(),
                                    new ChildRecords(cds.result(), cdnskey.result()),
                                    context.clock().instant()));
                });
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        ValidatedLookup decisive = decisive(evidence);
        List<ZoneTrust> zones = decisive.result().zones();
        ZoneTrust zone = zones.get(zones.size() - 1);
        DnssecFailure failure = decisive.result().failure();
        List<DNSKEYRecord> keys = keys(evidence, zone);
        DenialParameters denial = denial(evidence);
        SignatureValidity validity = decisive.secure() ? validity(evidence) : null;
        findings.error(decisive.error());
        ValidatedAnswer address = evidence.lookups().get(0).result().last();
        if (decisive.error() == null && address.nxdomain() && decisive.status() != DnssecStatus.BOGUS) {
            findings.error(CheckError.nameNotFound(evidence.name()));
        }
        if (failure != null) {
            reportFailure(evidence, failure, zone, keys, findings);
        } else {
            reportMissing(evidence, findings);
        }
        if (decisive.error() == null && decisive.status() != DnssecStatus.BOGUS) {
            reportAlias(evidence, findings);
        }
        if (decisive.status() != DnssecStatus.INDETERMINATE) {
            evaluateAlgorithms(zone, keys, findings);
        }
        if (validity != null && validity.endsSoon(evidence.at())) {
            findings.signatureExpiresSoon(validity.expiration());
        }
        if (denial != null && denial.iterations() > 0) {
            findings.nsec3Iterations(denial.iterations());
        }
        if (denial != null && !denial.salt().isEmpty()) {
            findings.nsec3Salt(denial.salt());
        }
        evidence.child().report(zone, options.optionalText(DS) == null, findings);
        return new Report(
                decisive.status(),
                zones.stream().map(Dnssec::chainZone).toList(),
                keys.stream()
                        .map(key -> DNSSEC.Algorithm.string(key.getAlgorithm()))
                        .distinct()
                        .toList(),
                validity == null ? null : validity.expiration(),
                denial == null ? null : denial.nsec3() ? Denial.NSEC3 : Denial.NSEC,
                failure == null ? null : failure.reason(),
                ChildRecords.texts(evidence.child().cds()),
                ChildRecords.texts(evidence.child().cdnskey()));
    }

    /**
     * The lookup that determines the status: of the A records, and of the records that exist. An invalid proof that
     * other records do not exist is a finding.
     */
    private static ValidatedLookup decisive(Evidence evidence) {
        ValidatedLookup address = evidence.lookups().get(0);
        return evidence.lookups().stream()
                .filter(lookup -> lookup == address || !lookup.records().isEmpty())
                .min(Comparator.comparing(
                        lookup -> lookup.status() == DnssecStatus.BOGUS ? 0 : lookup.secure() ? 2 : 1))
                .orElse(address);
    }

    /** The keys of the zone of the domain. A zone without DS records can have keys too. */
    private static List<DNSKEYRecord> keys(Evidence evidence, ZoneTrust zone) {
        return zone.keys().isEmpty()
                ? evidence.lookups().get(2).records().stream()
                        .filter(DNSKEYRecord.class::isInstance)
                        .map(DNSKEYRecord.class::cast)
                        .toList()
                : zone.keys();
    }

    private static @Nullable DenialParameters denial(Evidence evidence) {
        return Stream.concat(Stream.ofNullable(evidence.missing()), evidence.lookups().stream())
                .flatMap(lookup -> Stream.ofNullable(lookup.result().last().denial()))
                .findFirst()
                .orElse(null);
    }

    /** The signatures of the zone and of the records that expire first. */
    private static @Nullable SignatureValidity validity(Evidence evidence) {
        return evidence.lookups().stream()
                .flatMap(lookup -> Stream.concat(
                        lookup.result().zones().stream()
                                .filter(zone -> zone.zone().labels() > 2)
                                .map(ZoneTrust::validity),
                        Stream.of(lookup.result().last()).map(ValidatedAnswer::validity)))
                .filter(Objects::nonNull)
                .reduce(SignatureValidity::earlier)
                .orElse(null);
    }

    private static void reportFailure(
            Evidence evidence, DnssecFailure failure, ZoneTrust zone, List<DNSKEYRecord> keys, Findings findings) {
        String name = DnsResolver.text(failure.name());
        switch (failure.reason()) {
            case NO_DS -> reportUnsigned(evidence, name, keys, findings);
            case UNSUPPORTED_ALGORITHM -> {
                Set<String> algorithms = new TreeSet<>();
                zone.anchors().forEach(anchor -> algorithms.add(describe(anchor)));
                findings.unsupportedAlgorithm(name, algorithms);
            }
            default -> reportFailure(failure, findings);
        }
    }

    private static void reportUnsigned(Evidence evidence, String zone, List<DNSKEYRecord> keys, Findings findings) {
        if (!zone.equals(evidence.name()) && !zone.contains(".")) {
            findings.parentNotSigned(evidence.name(), zone);
        } else if (keys.isEmpty()) {
            findings.notSigned(zone);
        } else {
            DNSKEYRecord key = keys.stream()
                    .filter(each -> (each.getFlags() & SEP_FLAG) != 0 && !isRevoked(each))
                    .findFirst()
                    .orElse(keys.get(0));
            findings.dsMissing(
                    zone,
                    new DSRecord(key.getName(), key.getDClass(), key.getTTL(), DNSSEC.Digest.SHA256, key)
                            .rdataToString());
        }
    }

    /** Reports an invalid proof for a name that does not exist. It does not change the status of the domain. */
    private static void reportMissing(Evidence evidence, Findings findings) {
        ValidatedLookup missing = evidence.missing();
        DnssecFailure failure = missing == null ? null : missing.result().failure();
        if (failure != null && failure.reason().status() != DnssecStatus.INDETERMINATE) {
            reportFailure(failure, findings);
        }
    }

    /** Reports a target of the alias that is bogus. It does not change the status of the domain. */
    private static void reportAlias(Evidence evidence, Findings findings) {
        ValidatedLookup alias = evidence.alias();
        if (alias != null) {
            alias.result().answers().stream()
                    .filter(target -> target.status() == DnssecStatus.BOGUS)
                    .findFirst()
                    .ifPresentOrElse(
                            target -> findings.aliasBogus(
                                    evidence.name(),
                                    DnsResolver.text(target.name()),
                                    Objects.requireNonNull(target.failure()).reason()),
                            () -> findings.error(alias.error()));
        }
    }

    private static void reportFailure(DnssecFailure failure, Findings findings) {
        String name = DnsResolver.text(failure.name());
        String records = Type.string(failure.type()) + " records of " + (name.isEmpty() ? "the root zone" : name);
        Instant time = failure.time();
        switch (failure.reason()) {
            case SIGNATURE_EXPIRED -> findings.signatureExpired(records, Objects.requireNonNull(time));
            case SIGNATURE_NOT_YET_VALID -> findings.signatureNotYetValid(records, Objects.requireNonNull(time));
            case SIGNATURE_INVALID -> findings.signatureInvalid(records);
            case SIGNATURE_MISSING -> findings.signatureMissing(records, name);
            case SIGNING_KEY_MISSING -> findings.signingKeyMissing(records);
            case KEY_REVOKED -> findings.keyRevoked(records);
            case DNSKEY_MISSING -> findings.dnskeyMissing(name);
            case DS_MISMATCH -> findings.dsMismatch(name);
            case DENIAL_MISSING -> findings.denialMissing(records);
            case LIMIT_EXCEEDED -> findings.limitExceeded(records);
            case TOO_MANY_ITERATIONS -> findings.tooManyIterations(name);
            case OPT_OUT -> findings.optOut(name);
            case NO_TRUST_ANCHOR, LOOKUP_FAILED, RESOLVER_UNSUITABLE, NO_DS, UNSUPPORTED_ALGORITHM -> {}
        }
    }

    private static void evaluateAlgorithms(ZoneTrust zone, List<DNSKEYRecord> keys, Findings findings) {
        String name = DnsResolver.text(zone.zone());
        List<Record> ds = zone.anchors();
        if (keys.stream().anyMatch(key -> DnssecAlgorithm.usesSha1(key.getAlgorithm()))) {
            findings.sha1Algorithm(name);
        }
        if (!ds.isEmpty()
                && ds.stream()
                        .allMatch(anchor ->
                                anchor instanceof DSRecord each && each.getDigestID() == DNSSEC.Digest.SHA1)) {
            findings.sha1Digest(name);
        }
        for (DNSKEYRecord key : keys) {
            int bits = isRevoked(key) ? 0 : rsaBits(key);
            if (bits > 0 && bits < MIN_RSA_BITS) {
                findings.dnskeyWeak(name, key.getFootprint(), bits);
            }
        }
    }

    /** The size of an RSA key; 0 for other and malformed keys. */
    private static int rsaBits(DNSKEYRecord key) {
        try {
            return DNSSEC.Algorithm.string(key.getAlgorithm()).startsWith("RSA")
                    ? PublicKeys.bits(key.getPublicKey())
                    : 0;
        } catch (DNSSEC.DNSSECException | RuntimeException malformed) {
            return 0;
        }
    }

    private static boolean isRevoked(DNSKEYRecord key) {
        return (key.getFlags() & DNSKEYRecord.Flags.REVOKE) != 0;
    }

    private static ChainZone chainZone(ZoneTrust zone) {
        String name = DnsResolver.text(zone.zone());
        return new ChainZone(
                name.isEmpty() ? "." : name,
                zone.anchors().stream().map(Dnssec::describe).toList(),
                zone.keys().stream().map(Dnssec::describe).toList(),
                zone.status());
    }

    private static String describe(Record record) {
        if (record instanceof DSRecord ds) {
            return ds.getFootprint() + " " + DNSSEC.Algorithm.string(ds.getAlgorithm()) + " "
                    + DnssecAlgorithm.digestName(ds.getDigestID());
        }
        DNSKEYRecord key = (DNSKEYRecord) record;
        String role = (key.getFlags() & SEP_FLAG) != 0 ? "KSK" : "ZSK";
        return key.getFootprint() + " " + DNSSEC.Algorithm.string(key.getAlgorithm()) + " " + role
                + (isRevoked(key) ? " (revoked)" : "");
    }
}
