package dev.plumbline.egress;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.net.InternetDomainName;

/** Finds registrable domains by the Public Suffix List. */
public final class RegistrableDomains {
    private static final int MAX_CACHED = 10_000;

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
        try {
            InternetDomainName domain = InternetDomainName.from(name);
            return domain.isUnderRegistrySuffix()
                    ? domain.topDomainUnderRegistrySuffix().toString()
                    : of(name);
        } catch (IllegalArgumentException notADomain) {
            return lastTwoLabels(name);
        }
    }

    /** Whether the name is a suffix operated by a registry, such as {@code co.uk}. */
    public boolean isRegistrySuffix(String name) {
        try {
            return InternetDomainName.from(name).isRegistrySuffix();
        } catch (IllegalArgumentException notADomain) {
            return false;
        }
    }

    private static String find(String name) {
        try {
            InternetDomainName domain = InternetDomainName.from(name);
            if (domain.isPublicSuffix()) {
                return name;
            }
            if (domain.isUnderPublicSuffix()) {
                return domain.topPrivateDomain().toString();
            }
        } catch (IllegalArgumentException notADomain) {
            return lastTwoLabels(name);
        }
        return lastTwoLabels(name);
    }

    private static String lastTwoLabels(String name) {
        int last = name.lastIndexOf('.');
        return name.substring(name.lastIndexOf('.', last - 1) + 1);
    }
}
