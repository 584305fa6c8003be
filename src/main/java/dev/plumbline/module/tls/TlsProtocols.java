package dev.plumbline.module.tls;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.probe.starttls.StartTlsProtocol;
import dev.plumbline.probe.tls.TlsFeatures;
import dev.plumbline.probe.tls.TlsScanReport;
import dev.plumbline.probe.tls.TlsScanner;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.CipherWeakness;
import dev.plumbline.tls.KeyExchangeGroup;
import dev.plumbline.tls.SignatureHash;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
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

/** The TLS versions, cipher suites, key exchange groups and optional features that a server supports. */
@AutoService(RegisteredModule.class)
public final class TlsProtocols implements CheckModule<TlsScanReport, TlsProtocols.Report, TlsProtocols.Findings> {
    private static final String CIPHERS = "ciphers";
    private static final String NO_STARTTLS = "none";
    private static final int RECOMMENDED_PRIME_BITS = 2048;
    private static final int BROKEN_PRIME_BITS = 1024;

    public record Report(
            List<String> versions,
            boolean legacyEnabled,
            boolean tls13,
            List<String> alpn,
            List<Cipher> ciphers,
            List<String> weakCiphers,
            boolean forwardSecrecy,
            List<String> keyExchangeGroups,
            @Nullable Boolean serverPrefersOrder,
            @Nullable Boolean postQuantum,
            @Nullable Boolean extendedMasterSecret,
            @Nullable Boolean secureRenegotiation,
            @Nullable Boolean clientRenegotiation,
            @Nullable Boolean earlyData,
            @Nullable Boolean compression,
            @Nullable Boolean fallbackScsv,
            @Nullable Boolean sessionTickets,
            @Nullable String keyExchangeHash,
            @Nullable Integer dhBits) {}

    /** A cipher suite that the server accepts in a TLS version. */
    public record Cipher(String version, String name) {}

    public interface Findings extends FindingCollector {
        void ssl3Enabled();

        void onlyLegacyVersions(List<String> versions);

        void tls10Enabled();

        void tls11Enabled();

        void tls13Missing();

        void noEncryption(List<String> ciphers);

        void noAuthentication(List<String> ciphers);

        void exportCipher(List<String> ciphers);

        void rc4Cipher(List<String> ciphers);

        void smallBlockCipher(List<String> ciphers);

        void dhPrimeBroken(int bits);

        void dhPrimeShort(int bits);

        void weakGroup(List<String> groups);

        void noForwardSecrecy(String cipher);

        void staticKeyExchange(String cipher);

        void noAuthenticatedEncryption(String cipher);

        void clientChoosesWeak();

        void secureRenegotiationMissing();

        void tlsCompression();

        void clientRenegotiationAccepted();

        void earlyDataEnabled();

        void extendedMasterSecretMissing();

        void brokenSignatureHash(String hash);

        void brokenSignatureHashAccepted(String hash);

        void fallbackScsvMissing();

        void featuresUnknown(List<String> features);

        void scanIncomplete(int count, List<String> versions);

        void alpnUnknown();

        void connectionLimitReached(int count);

        void scanLimitReached(int count);
    }

    @Override
    public int requests(Options options) {
        return options.flag(CIPHERS) ? TlsScanner.MAX_REQUESTS : CheckModule.super.requests(options);
    }

    @Override
    public Future<TlsScanReport> collect(Target target, CheckContext context) {
        Target.HostPort to = (Target.HostPort) target;
        String protocol = context.options().optionalText("starttls");
        return context.probe(TlsScanner.class)
                .scan(
                        context,
                        to.host(),
                        to.port(),
                        context.options().flag(CIPHERS),
                        protocol == null || protocol.equals(NO_STARTTLS)
                                ? null
                                : context.probe(StartTlsProbe.class)
                                        .preambles(
                                                StartTlsProtocol.of(protocol),
                                                to.host().name()));
    }

    @Override
    public Report evaluate(TlsScanReport scan, Options options, Findings findings) {
        Set<TlsVersion> versions = scan.chosen().keySet();
        List<Cipher> ciphers = new ArrayList<>();
        Set<CipherSuite> weak = new LinkedHashSet<>();
        versions.stream().sorted(Comparator.reverseOrder()).forEach(version -> {
            List<CipherSuite> accepted = scan.accepted().getOrDefault(version, List.of());
            List<CipherSuite> strongestFirst =
                    CipherSuite.all().stream().filter(accepted::contains).toList();
            strongestFirst.forEach(suite -> ciphers.add(new Cipher(version.title(), suite.name())));
            strongestFirst.stream().filter(CipherSuite::weak).forEach(weak::add);
        });
        evaluateVersions(scan, findings);
        reportWeak(weak, CipherWeakness.NO_ENCRYPTION, findings::noEncryption);
        reportWeak(weak, CipherWeakness.NO_AUTHENTICATION, findings::noAuthentication);
        reportWeak(weak, CipherWeakness.EXPORT, findings::exportCipher);
        reportWeak(weak, CipherWeakness.RC4, findings::rc4Cipher);
        reportWeak(weak, CipherWeakness.SMALL_BLOCKS, findings::smallBlockCipher);
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
        Map.Entry<TlsVersion, CipherSuite> chosen =
                Collections.max(scan.chosen().entrySet(), Map.Entry.comparingByKey());
        TlsVersion newest = chosen.getKey();
        CipherSuite selected = chosen.getValue();
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
        if (Boolean.FALSE.equals(scan.prefersOrder()) && !weak.isEmpty()) {
            findings.clientChoosesWeak();
        }
        evaluateFeatures(scan.features(), findings);
        if (Boolean.FALSE.equals(scan.features().fallbackScsv())
                && versions.stream().anyMatch(TlsVersion::legacy)) {
            findings.fallbackScsvMissing();
        }
        if (scan.unanswered() > 0) {
            List<String> unknown = titles(scan.unknown());
            findings.scanIncomplete(scan.unanswered(), unknown.isEmpty() ? List.of("none") : unknown);
        }
        if (scan.alpnUnknown()) {
            findings.alpnUnknown();
        }
        if (scan.unasked() > 0 && scan.everyCipher()) {
            findings.scanLimitReached(scan.unasked());
        } else if (scan.unasked() > 0) {
            findings.connectionLimitReached(scan.unasked());
        }
        TlsFeatures features = scan.features();
        SignatureHash hash = features.keyExchangeHash();
        Stream<String> customGroup = bits > 0 ? Stream.of("dhe-" + bits) : Stream.empty();
        return new Report(
                titles(versions),
                versions.stream().anyMatch(TlsVersion::legacy),
                versions.contains(TlsVersion.TLS_1_3),
                scan.alpn(),
                ciphers,
                weak.stream().map(CipherSuite::name).toList(),
                selected.forwardSecret(),
                Stream.concat(scan.groups().stream().map(KeyExchangeGroup::name), customGroup)
                        .toList(),
                scan.prefersOrder(),
                features.postQuantum(),
                features.extendedMasterSecret(),
                features.secureRenegotiation(),
                features.clientRenegotiation(),
                features.earlyData(),
                features.compression(),
                features.fallbackScsv(),
                features.sessionTickets(),
                hash == null ? null : hash.title(),
                smallestPrime(scan));
    }

    /** The size of the smallest Diffie-Hellman prime of all versions in bits; null if there is none. */
    private static @Nullable Integer smallestPrime(TlsScanReport scan) {
        return IntStream.concat(
                        IntStream.of(scan.primeBits()), scan.groups().stream().mapToInt(KeyExchangeGroup::primeBits))
                .filter(bits -> bits > 0)
                .boxed()
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    private static void evaluateFeatures(TlsFeatures features, Findings findings) {
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
    private static void evaluateVersions(TlsScanReport scan, Findings findings) {
        Set<TlsVersion> versions = scan.chosen().keySet();
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
    private static void reportWeak(Set<CipherSuite> weak, CipherWeakness weakness, Consumer<List<String>> finding) {
        reportIfAny(
                weak.stream()
                        .filter(suite -> suite.weakness() == weakness)
                        .map(CipherSuite::name)
                        .toList(),
                finding);
    }

    private static List<String> titles(Collection<TlsVersion> versions) {
        return versions.stream().sorted().map(TlsVersion::title).toList();
    }
}
