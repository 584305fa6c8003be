package dev.plumbline.egress;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.net.InternetDomainName;

/** Whose name a host is: the domain right below a public suffix. */
public final class RegistrableDomains {
    private static final int REMEMBERED = 10_000;

    private final Cache<String, String> known = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .executor(Runnable::run)
            .build();

    /** The registrable domain of a name; its last two labels where no suffix is known. */
    public String of(String name) {
        return known.get(name, RegistrableDomains::find);
    }

    /**
     * The domain that was registered with a registry, of which the name is a part: right below an
     * ending that a registry runs, not one that a company lends out as {@code github.io}.
     */
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

    /** Whether it is an ending that a registry runs, as {@code co.uk}, and so itself no domain. */
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
