package dev.plumbline.probe.tls;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.plumbline.budget.CpuPool;
import dev.plumbline.check.CheckContext;
import dev.plumbline.target.Host;
import dev.plumbline.tls.CertificateParser;
import dev.plumbline.tls.TrustRoots;
import io.vertx.core.Future;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Caches the evaluation of certificate chains, which costs more than the rest of an exchange. */
public final class TrustCache {
    private static final long MAX_ENTRIES = 4_096;
    private static final Duration TTL = Duration.ofMinutes(5);

    private final TrustRoots trust;
    private final Cache<String, Optional<String>> cache =
            Caffeine.newBuilder().maximumSize(MAX_ENTRIES).expireAfterWrite(TTL).build();

    public TrustCache(TrustRoots trust) {
        this.trust = trust;
    }

    /** As {@link TrustRoots#problem}; empty for a chain that is trusted. */
    public Future<Optional<String>> problem(CheckContext context, List<X509Certificate> chain, Host host) {
        Instant now = context.clock().instant();
        String key = key(chain, host);
        Optional<String> cached = cache.getIfPresent(key);
        if (cached != null) {
            return Future.succeededFuture(cached);
        }
        return context.executeBlocking(CpuPool.Purpose.SIGNATURES, () -> {
            Optional<String> problem = Optional.ofNullable(readProblem(chain, host, now));
            cache.put(key, problem);
            return problem;
        });
    }

    private @Nullable String readProblem(List<X509Certificate> chain, Host host, Instant now) {
        try {
            return trust.problem(CertificateParser.parseLeniently(chain), host, now);
        } catch (CertificateException unreadable) {
            return "The server certificate cannot be parsed.";
        }
    }

    private static String key(List<X509Certificate> chain, Host host) {
        Hasher hasher = Hashing.sha256().newHasher();
        chain.forEach(certificate -> hasher.putBytes(CertificateParser.encoded(certificate)));
        return hasher.hash() + host.name();
    }
}
