package dev.plumbline.module.tls;

import static dev.plumbline.module.tls.TlsProtocolsDescription.BROKEN_PRIME;
import static dev.plumbline.module.tls.TlsProtocolsDescription.CIPHERS;
import static dev.plumbline.module.tls.TlsProtocolsDescription.CLIENT_CHOOSES;
import static dev.plumbline.module.tls.TlsProtocolsDescription.DESCRIPTION;
import static dev.plumbline.module.tls.TlsProtocolsDescription.EXPORT;
import static dev.plumbline.module.tls.TlsProtocolsDescription.NOT_ALL_ANSWERED;
import static dev.plumbline.module.tls.TlsProtocolsDescription.NOT_ALL_ASKED;
import static dev.plumbline.module.tls.TlsProtocolsDescription.NO_AEAD;
import static dev.plumbline.module.tls.TlsProtocolsDescription.NO_AUTHENTICATION;
import static dev.plumbline.module.tls.TlsProtocolsDescription.NO_ENCRYPTION;
import static dev.plumbline.module.tls.TlsProtocolsDescription.NO_FORWARD_SECRECY;
import static dev.plumbline.module.tls.TlsProtocolsDescription.NO_TLS13;
import static dev.plumbline.module.tls.TlsProtocolsDescription.ONLY_LEGACY;
import static dev.plumbline.module.tls.TlsProtocolsDescription.RC4;
import static dev.plumbline.module.tls.TlsProtocolsDescription.SHORT_PRIME;
import static dev.plumbline.module.tls.TlsProtocolsDescription.SMALL_BLOCKS;
import static dev.plumbline.module.tls.TlsProtocolsDescription.SSL3;
import static dev.plumbline.module.tls.TlsProtocolsDescription.STATIC_KEY;
import static dev.plumbline.module.tls.TlsProtocolsDescription.TLS10;
import static dev.plumbline.module.tls.TlsProtocolsDescription.TLS11;
import static dev.plumbline.module.tls.TlsProtocolsDescription.WEAK_GROUP;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.tls.TlsScanReport;
import dev.plumbline.probe.tls.TlsScanner;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.CipherWeakness;
import dev.plumbline.tls.KeyExchangeGroup;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which versions of TLS a server speaks, and how well it encrypts in each. */
@AutoService(ModuleDefinition.class)
public final class TlsProtocols implements ModuleDefinition<TlsScanReport> {

    /** What a Diffie-Hellman prime should have at least, and what can be broken. */
    private static final int GOOD_PRIME_BITS = 2048;

    private static final int BROKEN_PRIME_BITS = 1024;

    @Override
    public ModuleDescription description() {
        return DESCRIPTION;
    }

    @Override
    public int requests(Options options) {
        return options.flag(CIPHERS) ? TlsScanner.MAX_REQUESTS : ModuleDefinition.super.requests(options);
    }

    @Override
    public Future<TlsScanReport> collect(Target target, CheckContext context) {
        Target.HostPort hostPort = (Target.HostPort) target;
        return context.probe(TlsScanner.class)
                .scan(
                        context,
                        hostPort.host(),
                        hostPort.port(),
                        context.options().flag(CIPHERS));
    }

    @Override
    public Evaluation evaluate(TlsScanReport offer, Options options) {
        Set<TlsVersion> versions = offer.chosen().keySet();
        boolean tls13 = versions.contains(TlsVersion.TLS_1_3);
        Set<CipherSuite> weak = new LinkedHashSet<>();
        List<Map<String, Object>> rows = new ArrayList<>();
        for (TlsVersion version : newestFirst(versions)) {
            List<CipherSuite> accepted = offer.accepted().getOrDefault(version, List.of());
            for (CipherSuite suite : bestFirst(accepted)) {
                rows.add(Map.of("version", version.title(), "name", suite.name()));
                if (suite.weak()) {
                    weak.add(suite);
                }
            }
        }
        CipherSuite best = offer.chosen().get(newestFirst(versions).get(0));
        boolean forwardSecrecy = best != null && best.forwardSecret();

        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("versions", versions.stream().map(TlsVersion::title).toList());
        fields.put("legacy_enabled", versions.stream().anyMatch(TlsVersion::legacy));
        fields.put("tls13", tls13);
        fields.put("alpn", offer.alpn());
        fields.put(CIPHERS, rows);
        fields.put("weak_ciphers", weak.stream().map(CipherSuite::name).toList());
        fields.put("forward_secrecy", forwardSecrecy);
        fields.put("key_exchange_groups", groups(offer));
        fields.put("server_prefers_order", offer.prefersOrder());

        List<Finding> found = new ArrayList<>();
        versions(offer, found);
        weak(weak, found);
        keyExchange(offer, found);
        TlsVersion newest = Collections.max(versions);
        // a newer version that gave no answer may be the one it speaks, with other choices
        boolean newestKnown = offer.unknown().stream().noneMatch(other -> other.compareTo(newest) > 0);
        if (!forwardSecrecy && newestKnown) {
            found.add(NO_FORWARD_SECRECY.found());
        } else if (forwardSecrecy && offer.staticKey() != null) {
            found.add(STATIC_KEY.found());
        }
        if (best != null && best.cbc() && newestKnown) {
            found.add(NO_AEAD.found());
        }
        if (Boolean.FALSE.equals(offer.prefersOrder()) && !weak.isEmpty()) {
            found.add(CLIENT_CHOOSES.found());
        }
        if (offer.unanswered() > 0) {
            found.add(NOT_ALL_ANSWERED.found(NOT_ALL_ANSWERED.message() + unknown(offer)));
        }
        if (offer.unasked() > 0) {
            found.add(NOT_ALL_ASKED.found());
        }
        return Evaluation.of(fields, found);
    }

    private static String unknown(TlsScanReport offer) {
        return offer.unknown().isEmpty()
                ? ""
                : offer.unknown().stream()
                        .sorted()
                        .map(TlsVersion::title)
                        .collect(Collectors.joining(", ", " Among them whether it speaks ", "."));
    }

    private static void versions(TlsScanReport offer, List<Finding> found) {
        Set<TlsVersion> versions = offer.chosen().keySet();
        Set<TlsVersion> unknown = offer.unknown();
        boolean today = versions.stream().anyMatch(version -> !version.legacy());
        boolean perhaps = unknown.stream().anyMatch(version -> !version.legacy());
        if (versions.contains(TlsVersion.SSL_3)) {
            found.add(SSL3.found());
        }
        if (!today && !perhaps) {
            found.add(ONLY_LEGACY.found());
        }
        if (versions.contains(TlsVersion.TLS_1_0)) {
            found.add(TLS10.found());
        }
        if (versions.contains(TlsVersion.TLS_1_1)) {
            found.add(TLS11.found());
        }
        if (today && !versions.contains(TlsVersion.TLS_1_3) && !unknown.contains(TlsVersion.TLS_1_3)) {
            found.add(NO_TLS13.found());
        }
    }

    /** A suite is told of by the worst that can be said of it. */
    private static void weak(Collection<CipherSuite> weak, List<Finding> found) {
        Map<CipherWeakness, List<CipherSuite>> kinds = new EnumMap<>(CipherWeakness.class);
        for (CipherSuite suite : weak) {
            CipherWeakness kind = suite.weakness();
            if (kind != null) {
                kinds.computeIfAbsent(kind, none -> new ArrayList<>()).add(suite);
            }
        }
        kinds.forEach((kind, these) -> {
            FindingCode code = code(kind);
            found.add(code.found(code.message()
                    + " Accepted: "
                    + these.stream().map(CipherSuite::name).collect(Collectors.joining(", "))
                    + "."));
        });
    }

    private static FindingCode code(CipherWeakness kind) {
        return switch (kind) {
            case NO_ENCRYPTION -> NO_ENCRYPTION;
            case NO_AUTHENTICATION -> NO_AUTHENTICATION;
            case EXPORT -> EXPORT;
            case RC4 -> RC4;
            case SMALL_BLOCKS -> SMALL_BLOCKS;
        };
    }

    private static void keyExchange(TlsScanReport offer, List<Finding> found) {
        int bits = offer.primeBits();
        if (bits > 0 && bits < GOOD_PRIME_BITS) {
            FindingCode code = bits <= BROKEN_PRIME_BITS ? BROKEN_PRIME : SHORT_PRIME;
            found.add(code.found(code.message() + " It has " + bits + "."));
        }
        List<String> weak = offer.groups().stream()
                .filter(KeyExchangeGroup::weak)
                .map(KeyExchangeGroup::name)
                .toList();
        if (!weak.isEmpty()) {
            found.add(WEAK_GROUP.found(WEAK_GROUP.message() + " Accepted: " + String.join(", ", weak) + "."));
        }
    }

    private static List<String> groups(TlsScanReport offer) {
        List<String> names = new ArrayList<>();
        offer.groups().forEach(group -> names.add(KeyExchangeGroup.name(group)));
        if (offer.primeBits() > 0) {
            names.add("dhe-" + offer.primeBits());
        }
        return names;
    }

    private static List<TlsVersion> newestFirst(Collection<TlsVersion> versions) {
        return versions.stream().sorted(Comparator.reverseOrder()).toList();
    }

    private static List<CipherSuite> bestFirst(List<CipherSuite> suites) {
        return CipherSuite.all().stream().filter(suites::contains).toList();
    }
}
