package dev.plumbline.module.tls;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import dev.plumbline.probe.tls.TlsFeatures;
import dev.plumbline.probe.tls.TlsScanReport;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.CipherWeakness;
import dev.plumbline.tls.KeyExchangeGroup;
import dev.plumbline.tls.SignatureHash;
import dev.plumbline.tls.TlsVersion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fields and findings that the modules with a TLS scan have in common. */
final class TlsScanEvaluation {
    private static final int RECOMMENDED_PRIME_BITS = 2048;
    private static final int BROKEN_PRIME_BITS = 1024;

    private final TlsScanReport scan;
    private final List<AcceptedCipher> ciphers = new ArrayList<>();
    private final Set<CipherSuite> weak = new LinkedHashSet<>();
    private final TlsVersion newest;
    private final CipherSuite selected;

    TlsScanEvaluation(TlsScanReport scan) {
        this.scan = scan;
        versions().stream().sorted(Comparator.reverseOrder()).forEach(version -> {
            List<CipherSuite> accepted = scan.accepted().getOrDefault(version, List.of());
            List<CipherSuite> strongestFirst =
                    CipherSuite.all().stream().filter(accepted::contains).toList();
            strongestFirst.forEach(suite -> ciphers.add(new AcceptedCipher(version.title(), suite.name())));
            strongestFirst.stream().filter(CipherSuite::weak).forEach(weak::add);
        });
        Map.Entry<TlsVersion, CipherSuite> chosen =
                Collections.max(scan.chosen().entrySet(), Map.Entry.comparingByKey());
        newest = chosen.getKey();
        selected = chosen.getValue();
    }

    Set<TlsVersion> versions() {
        return scan.chosen().keySet();
    }

    static List<String> titles(Collection<TlsVersion> versions) {
        return versions.stream().sorted().map(TlsVersion::title).toList();
    }

    /** The accepted cipher suites, by version, the newest first, and then strongest first. */
    List<AcceptedCipher> ciphers() {
        return List.copyOf(ciphers);
    }

    List<String> weakCiphers() {
        return weak.stream().map(CipherSuite::name).toList();
    }

    boolean forwardSecrecy() {
        return selected.forwardSecret();
    }

    /** The names of the accepted groups, with that of a custom Diffie-Hellman group. */
    List<String> groups() {
        Stream<String> customGroup = scan.primeBits() > 0 ? Stream.of("dhe-" + scan.primeBits()) : Stream.empty();
        return Stream.concat(scan.groups().stream().map(KeyExchangeGroup::name), customGroup)
                .toList();
    }

    /** The size of the smallest Diffie-Hellman prime of all versions in bits; null if there is none. */
    @Nullable
    Integer smallestPrime() {
        return IntStream.concat(
                        IntStream.of(scan.primeBits()), scan.groups().stream().mapToInt(KeyExchangeGroup::primeBits))
                .filter(bits -> bits > 0)
                .boxed()
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    @Nullable
    String keyExchangeHash() {
        SignatureHash hash = scan.features().keyExchangeHash();
        return hash == null ? null : hash.title();
    }

    void report(TlsScanFindings findings) {
        reportVersions(findings);
        reportWeak(CipherWeakness.NO_ENCRYPTION, findings::noEncryption);
        reportWeak(CipherWeakness.NO_AUTHENTICATION, findings::noAuthentication);
        reportWeak(CipherWeakness.EXPORT, findings::exportCipher);
        reportWeak(CipherWeakness.RC4, findings::rc4Cipher);
        reportWeak(CipherWeakness.SMALL_BLOCKS, findings::smallBlockCipher);
        int bits = scan.primeBits();
        if (bits > BROKEN_PRIME_BITS && bits < RECOMMENDED_PRIME_BITS) {
            findings.dhPrimeShort(bits);
        } else if (bits > 0 && bits <= BROKEN_PRIME_BITS) {
            findings.dhPrimeBroken(bits);
        }
        reportIfAny(
                scan.groups().stream()
                        .filter(KeyExchangeGroup::weak)
                        .map(KeyExchangeGroup::name)
                        .toList(),
                findings::weakGroup);
        reportSelected(findings);
        if (Boolean.FALSE.equals(scan.prefersOrder()) && !weak.isEmpty()) {
            findings.clientChoosesWeak();
        }
        reportFeatures(findings);
    }

    private void reportSelected(TlsScanFindings findings) {
        // A newer version whose test got no response may be supported, with another selection.
        boolean newestKnown = scan.unknown().stream().noneMatch(version -> version.compareTo(newest) > 0);
        if (!selected.forwardSecret() && newestKnown) {
            findings.noForwardSecrecy(selected.name());
        } else if (selected.forwardSecret() && scan.staticKey() != null) {
            findings.staticKeyExchange(scan.staticKey().name());
        }
        if (selected.cbc() && newestKnown) {
            findings.noAuthenticatedEncryption(selected.name());
        }
    }

    private void reportFeatures(TlsScanFindings findings) {
        TlsFeatures features = scan.features();
        if (Boolean.FALSE.equals(features.secureRenegotiation())) {
            findings.secureRenegotiationMissing();
        }
        if (Boolean.TRUE.equals(features.compression())) {
            findings.tlsCompression();
        }
        if (Boolean.TRUE.equals(features.clientRenegotiation())) {
            findings.clientRenegotiationAccepted();
        }
        if (Boolean.TRUE.equals(features.earlyData())) {
            findings.earlyDataEnabled();
        }
        if (Boolean.FALSE.equals(features.extendedMasterSecret())) {
            findings.extendedMasterSecretMissing();
        }
        SignatureHash hash = features.keyExchangeHash();
        SignatureHash preferred = features.preferredHash();
        if (preferred != null && preferred.broken()) {
            findings.brokenSignatureHash(preferred.title());
        } else if (hash != null && hash.broken()) {
            findings.brokenSignatureHashAccepted(hash.title());
        }
        reportIfAny(
                features.reasons().entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(each -> each.getKey() + ": " + each.getValue())
                        .toList(),
                findings::featuresUnknown);
    }

    /** A version is reported as missing only if the server responded to its test. */
    private void reportVersions(TlsScanFindings findings) {
        Set<TlsVersion> versions = versions();
        boolean current = versions.stream().anyMatch(version -> !version.legacy());
        if (versions.contains(TlsVersion.SSL_3)) {
            findings.ssl3Enabled();
        }
        if (!current && scan.unknown().stream().allMatch(TlsVersion::legacy)) {
            findings.onlyLegacyVersions(titles(versions));
        }
        if (versions.contains(TlsVersion.TLS_1_0)) {
            findings.tls10Enabled();
        }
        if (versions.contains(TlsVersion.TLS_1_1)) {
            findings.tls11Enabled();
        }
        if (current && !versions.contains(TlsVersion.TLS_1_3) && !scan.unknown().contains(TlsVersion.TLS_1_3)) {
            findings.tls13Missing();
        }
    }

    /** Reports each cipher suite once, by its worst weakness. */
    private void reportWeak(CipherWeakness weakness, Consumer<List<String>> finding) {
        reportIfAny(
                weak.stream()
                        .filter(suite -> suite.weakness() == weakness)
                        .map(CipherSuite::name)
                        .toList(),
                finding);
    }

    void reportMissingResponses(TlsScanFindings findings) {
        if (scan.unanswered() > 0) {
            List<String> unknown = titles(scan.unknown());
            findings.scanIncomplete(scan.unanswered(), unknown.isEmpty() ? List.of("none") : unknown);
        }
    }
}
