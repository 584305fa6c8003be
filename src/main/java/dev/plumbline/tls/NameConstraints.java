package dev.plumbline.tls;

import java.security.cert.X509Certificate;
import java.util.List;
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

    /** The limit of comparisons (names times subtrees) for one path. */
    private static final long MAX_COMPARISONS = 50_000;

    private static final int MAX_SUBTREES = 128;

    private NameConstraints() {}

    /** The first violation as a clause; empty if there is none. */
    static String fault(List<X509Certificate> path) {
        if (path.stream().skip(1).noneMatch(issuer -> CertificateExtensions.has(issuer, OID))) {
            return "";
        }
        try {
            return check(path);
        } catch (NameConstraintValidatorException violated) {
            return "a name violates the name constraints of a CA certificate";
        } catch (RuntimeException unreadable) {
            // Bouncy Castle throws several unchecked exceptions for malformed structures.
            return "the name constraints of a CA certificate cannot be parsed";
        }
    }

    private static String check(List<X509Certificate> path) throws NameConstraintValidatorException {
        PKIXNameConstraintValidator validator = new PKIXNameConstraintValidator();
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
            }
            org.bouncycastle.asn1.x509.NameConstraints constraints = constraints(certificate);
            if (constraints != null && i > 0) {
                int more = size(constraints.getPermittedSubtrees()) + size(constraints.getExcludedSubtrees());
                if (more > MAX_SUBTREES) {
                    return "the chain has too many names and name constraints";
                }
                subtrees += more;
                add(validator, constraints);
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

    private static int size(GeneralSubtree @Nullable [] subtrees) {
        return subtrees == null ? 0 : subtrees.length;
    }
}
