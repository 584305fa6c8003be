package dev.plumbline.module.mail;

import com.google.common.base.Strings;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Domains of services for disposable addresses, and misspelled domains of mailbox providers. The list of services is
 * short, because public lists have thousands of domains, change daily and contain mailbox providers.
 */
final class MailDomains {
    private static final Set<String> DISPOSABLE = Set.copyOf(lines("disposable-domains.txt"));

    private static final List<String> PROVIDERS = lines("mailbox-providers.txt");

    /** Other domains that differ from a provider by one edit. */
    private static final Set<String> NOT_MISSPELLED = Set.of("mail.com", "email.com", "ymail.com", "cloud.com");

    private MailDomains() {}

    /** Whether the domain or one of its parents is a known service for disposable addresses. */
    static boolean isDisposable(String domain) {
        int dot = domain.indexOf('.');
        return DISPOSABLE.contains(domain) || dot >= 0 && isDisposable(domain.substring(dot + 1));
    }

    /** The provider whose domain differs by one edit; null if there is none or the domain is a provider itself. */
    static @Nullable String similarProvider(String domain) {
        if (NOT_MISSPELLED.contains(domain) || PROVIDERS.contains(domain)) {
            return null;
        }
        return PROVIDERS.stream()
                .filter(provider -> isOneEdit(domain, provider))
                .findFirst()
                .orElse(null);
    }

    /**
     * Whether one insertion, deletion, substitution or transposition of neighbors changes one text into another
     * (optimal string alignment distance 1).
     */
    static boolean isOneEdit(String a, String b) {
        int shorter = Math.min(a.length(), b.length());
        int longer = Math.max(a.length(), b.length());
        int prefix = Strings.commonPrefix(a, b).length();
        int suffix = Math.min(Strings.commonSuffix(a, b).length(), shorter - prefix);
        int changed = longer - prefix - suffix;
        return changed == 1
                || changed == 2
                        && shorter == longer
                        && a.charAt(prefix) == b.charAt(prefix + 1)
                        && a.charAt(prefix + 1) == b.charAt(prefix);
    }

    /** The lines of a list in the resources, without its comments. */
    static List<String> lines(String file) {
        try {
            return Resources.readLines(Resources.getResource(MailDomains.class, file), StandardCharsets.UTF_8).stream()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
