package dev.plumbline.egress;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.net.InternetDomainName;
import org.jspecify.annotations.Nullable;

/** Finds registrable domains by the Public Suffix List. */
public final class RegistrableDomains {
    private static final int MAX_CACHED = 10_000;
    private static final String V4_SUFFIX = ".in-addr.arpa";
    private static final String V6_SUFFIX = ".ip6.arpa";

    /** The labels of a /24 and of a /48. */
    private static final int V4_LABELS = 3;

    private static final int V6_LABELS = 12;

    private final Cache<String, String> cache = Caffeine.newBuilder()
            .maximumSize(MAX_CACHED)
            .executor(Runnable::run)
            .build();

    /** The registrable domain of a name: one label below a public suffix. The last two labels if no suffix is known. */
    public String of(String name) {
        return cache.get(name, RegistrableDomains::find);
    }

    /** The domain below a suffix operated by a registry. Private suffixes such as {@code github.io} do not count. */
    public String registered(String name) {
        InternetDomainName domain = parse(name);
        return domain == null ? lastTwoLabels(name) : registered(domain);
    }

    /** Null if the name is not a hostname. */
    private static @Nullable InternetDomainName parse(String name) {
        try {
            return InternetDomainName.from(name);
        } catch (IllegalArgumentException notADomain) {
            return null;
        }
    }

    private static String registered(InternetDomainName domain) {
        return domain.isUnderRegistrySuffix()
                ? domain.topDomainUnderRegistrySuffix().toString()
                : find(domain);
    }

    /**
     * The domain whose nameservers are queried for a DNS name with any characters: the domain below a suffix operated
     * by a registry, or the /24 (IPv4) or /48 (IPv6) of a reverse name. Null for the root and for suffixes.
     */
    public @Nullable String ofDnsName(String name) {
        String reverse = reverseNetwork(name, V4_SUFFIX, V4_LABELS);
        reverse = reverse == null ? reverseNetwork(name, V6_SUFFIX, V6_LABELS) : reverse;
        if (reverse != null) {
            return reverse;
        }
        String host = hostname(name);
        if (host.indexOf('.') < 0) {
            return null;
        }
        InternetDomainName domain = parse(host);
        if (domain == null) {
            return lastTwoLabels(host);
        }
        return domain.isRegistrySuffix() ? null : registered(domain);
    }

    private static @Nullable String reverseNetwork(String name, String suffix, int labels) {
        if (!name.endsWith(suffix)) {
            return null;
        }
        int start = name.length() - suffix.length();
        for (int i = 0; i < labels && start > 0; i++) {
            start = name.lastIndexOf('.', start - 1);
        }
        return name.substring(start + 1);
    }

    /** The longest end of a name that consists of labels of hostnames; service labels begin with an underscore. */
    private static String hostname(String name) {
        int start = name.length();
        while (start > 0) {
            int previous = name.lastIndexOf('.', start - 2);
            if (!isHostLabel(name, previous + 1, start == name.length() ? start : start - 1)) {
                break;
            }
            start = previous + 1;
        }
        return name.substring(Math.min(start, name.length()));
    }

    private static boolean isHostLabel(String name, int start, int end) {
        for (int i = start; i < end; i++) {
            char c = name.charAt(i);
            boolean inner = c == '-' && i > start && i < end - 1;
            if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || inner)) {
                return false;
            }
        }
        return end > start;
    }

    /** Whether the name is a suffix operated by a registry, such as {@code co.uk}. */
    public boolean isRegistrySuffix(String name) {
        InternetDomainName domain = parse(name);
        return domain != null && domain.isRegistrySuffix();
    }

    private static String find(String name) {
        InternetDomainName domain = parse(name);
        return domain == null ? lastTwoLabels(name) : find(domain);
    }

    private static String find(InternetDomainName domain) {
        if (domain.isPublicSuffix()) {
            return domain.toString();
        }
        return domain.isUnderPublicSuffix() ? domain.topPrivateDomain().toString() : lastTwoLabels(domain.toString());
    }

    private static String lastTwoLabels(String name) {
        int last = name.lastIndexOf('.');
        return name.substring(name.lastIndexOf('.', last - 1) + 1);
    }
}
