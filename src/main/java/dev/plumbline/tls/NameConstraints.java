package dev.plumbline.tls;

import java.math.BigInteger;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.bouncycastle.asn1.x509.NameConstraintValidatorException;
import org.bouncycastle.asn1.x509.PKIXNameConstraintValidator;
import org.jspecify.annotations.Nullable;

/** Validates the names in a path against the name constraints of its CA certificates (RFC 5280 section 4.2.1.10). */
final class NameConstraints {
    private static final String OID = Extension.nameConstraints.getId();
    private static final String VIOLATED = "a name violates the name constraints of a CA certificate";
    private static final String MALFORMED = "the name constraints of a CA certificate are malformed";

    /** The limit of comparisons (names times subtrees) for one path. */
    private static final long MAX_COMPARISONS = 50_000;

    private static final int MAX_SUBTREES = 128;

    /** Empty for all domains. */
    private static final Pattern DOMAIN = Pattern.compile("|\\.?[A-Za-z0-9_-]{1,63}(\\.[A-Za-z0-9_-]{1,63}){0,126}");

    private NameConstraints() {}

    /** The first violation as a clause; empty if there is none. */
    static String fault(List<X509Certificate> path) {
        if (path.stream().skip(1).noneMatch(issuer -> CertificateExtensions.has(issuer, OID))) {
            return "";
        }
        try {
            return check(path);
        } catch (NameConstraintValidatorException violated) {
            return VIOLATED;
        } catch (RuntimeException unreadable) {
            // Bouncy Castle throws several unchecked exceptions for malformed structures.
            return MALFORMED;
        }
    }

    private static String check(List<X509Certificate> path) throws NameConstraintValidatorException {
        PKIXNameConstraintValidator validator = new PKIXNameConstraintValidator();
        Set<String> excludedDomains = new HashSet<>();
        long comparisons = 0;
        long subtrees = 0;
        for (int i = path.size() - 1; i >= 0; i--) {
            X509Certificate certificate = path.get(i);
            GeneralName[] names = names(certificate);
            comparisons += names.length * subtrees;
            if (comparisons > MAX_COMPARISONS) {
                return "the chain has too many names and name constraints";
            }
            if (i == 0 || !DistinguishedNames.selfIssued(certificate)) {
                checkNames(validator, certificate, names);
                if (Arrays.stream(names).anyMatch(name -> isExcluded(name, excludedDomains))) {
                    return VIOLATED;
                }
            }
            org.bouncycastle.asn1.x509.NameConstraints constraints = constraints(certificate);
            if (constraints != null && i > 0) {
                int more = size(constraints.getPermittedSubtrees()) + size(constraints.getExcludedSubtrees());
                if (more > MAX_SUBTREES) {
                    return "the chain has too many names and name constraints";
                }
                if (isMalformed(constraints)) {
                    return MALFORMED;
                }
                subtrees += more;
                add(validator, constraints);
                excludedDomains.addAll(dnsNames(constraints.getExcludedSubtrees()));
            }
        }
        return "";
    }

    private static void checkNames(
            PKIXNameConstraintValidator validator, X509Certificate certificate, GeneralName[] names)
            throws NameConstraintValidatorException {
        X500Name subject =
                X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
        if (subject.getRDNs().length > 0) {
            validator.checkPermittedDN(subject);
            validator.checkExcludedDN(subject);
        }
        for (GeneralName name : names) {
            validator.checkPermitted(name);
            validator.checkExcluded(name);
        }
    }

    private static void add(
            PKIXNameConstraintValidator validator, org.bouncycastle.asn1.x509.NameConstraints constraints) {
        if (constraints.getPermittedSubtrees() != null) {
            validator.intersectPermittedSubtree(constraints.getPermittedSubtrees());
        }
        if (constraints.getExcludedSubtrees() != null) {
            for (GeneralSubtree excluded : constraints.getExcludedSubtrees()) {
                validator.addExcludedSubtree(excluded);
            }
        }
    }

    private static GeneralName[] names(X509Certificate certificate) {
        byte[] value = CertificateExtensions.value(certificate, Extension.subjectAlternativeName.getId());
        return value == null
                ? new GeneralName[0]
                : GeneralNames.getInstance(value).getNames();
    }

    private static org.bouncycastle.asn1.x509.@Nullable NameConstraints constraints(X509Certificate certificate) {
        byte[] value = CertificateExtensions.value(certificate, OID);
        return value == null ? null : org.bouncycastle.asn1.x509.NameConstraints.getInstance(value);
    }

    /**
     * Whether a wildcard name covers one of these domains, as {@code *.example.com} covers {@code www.example.com}, or
     * all domains are excluded. {@link PKIXNameConstraintValidator} does not consider these cases.
     */
    private static boolean isExcluded(GeneralName name, Set<String> domains) {
        if (name.getTagNo() != GeneralName.dNSName) {
            return false;
        }
        String text = name.getName().toString().toLowerCase(Locale.ROOT);
        return domains.contains("")
                || text.startsWith("*.")
                        && domains.stream().anyMatch(domain -> text.substring(1).equals(parent(domain)));
    }

    /** The domain without its first label, with a leading dot; empty if it has only one label. */
    private static String parent(String domain) {
        int dot = domain.indexOf('.');
        return dot < 0 ? "" : domain.substring(dot);
    }

    private static List<String> dnsNames(GeneralSubtree @Nullable [] subtrees) {
        return subtrees == null
                ? List.of()
                : Arrays.stream(subtrees)
                        .map(GeneralSubtree::getBase)
                        .filter(base -> base.getTagNo() == GeneralName.dNSName)
                        .map(base -> base.getName().toString().toLowerCase(Locale.ROOT))
                        .toList();
    }

    /** Whether an extension is empty or one of its subtrees is malformed. */
    private static boolean isMalformed(org.bouncycastle.asn1.x509.NameConstraints constraints) {
        GeneralSubtree[] permitted = constraints.getPermittedSubtrees();
        GeneralSubtree[] excluded = constraints.getExcludedSubtrees();
        return permitted == null && excluded == null
                || Stream.of(permitted, excluded)
                        .filter(subtrees -> subtrees != null)
                        .anyMatch(subtrees ->
                                subtrees.length == 0 || Arrays.stream(subtrees).anyMatch(NameConstraints::isMalformed));
    }

    /** A leading dot of a domain is accepted, as most clients do. */
    private static boolean isMalformed(GeneralSubtree subtree) {
        GeneralName base = subtree.getBase();
        if (subtree.getMaximum() != null || subtree.getMinimum().signum() != 0) {
            return true;
        }
        return switch (base.getTagNo()) {
            case GeneralName.dNSName ->
                !DOMAIN.matcher(base.getName().toString()).matches();
            case GeneralName.iPAddress ->
                !isNetwork(ASN1OctetString.getInstance(base.getName()).getOctets());
            case GeneralName.rfc822Name ->
                base.getName().toString().chars().filter(c -> c == '@').count() > 1;
            default -> false;
        };
    }

    /** Whether it is an address with a contiguous mask. */
    private static boolean isNetwork(byte[] bytes) {
        if (bytes.length != 8 && bytes.length != 32) {
            return false;
        }
        BigInteger hostBits = new BigInteger(1, Arrays.copyOfRange(bytes, bytes.length / 2, bytes.length))
                .xor(BigInteger.ONE.shiftLeft(4 * bytes.length).subtract(BigInteger.ONE));
        return hostBits.and(hostBits.add(BigInteger.ONE)).signum() == 0;
    }

    private static int size(GeneralSubtree @Nullable [] subtrees) {
        return subtrees == null ? 0 : subtrees.length;
    }
}
