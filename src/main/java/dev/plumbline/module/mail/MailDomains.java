package dev.plumbline.module.mail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Domains of services for disposable addresses, and misspelled domains of mailbox providers. The list of services is
 * short, because public lists have thousands of domains, change daily and contain mailbox providers.
 */
final class MailDomains {
    private static final Set<String> DISPOSABLE = read("disposable-domains.txt");

    /** Providers with many mailboxes and a name of at least five letters; others resemble too many domains. */
    private static final List<String> PROVIDERS = List.of(
            "gmail.com",
            "googlemail.com",
            "yahoo.com",
            "yahoo.co.uk",
            "hotmail.com",
            "hotmail.co.uk",
            "hotmail.fr",
            "outlook.com",
            "icloud.com",
            "protonmail.com",
            "comcast.net",
            "verizon.net",
            "sbcglobal.net",
            "bellsouth.net",
            "rocketmail.com",
            "t-online.de",
            "freenet.de",
            "libero.it");

    /** Other domains that differ from a provider by one edit. */
    private static final Set<String> NOT_MISSPELLED = Set.of("mail.com", "email.com", "ymail.com", "cloud.com");

    private MailDomains() {}

    /** Whether the domain or one of its parents is a known service for disposable addresses. */
    static boolean isDisposable(String domain) {
        for (String name = domain; !name.isEmpty(); name = name.substring(name.indexOf('.') + 1)) {
            if (DISPOSABLE.contains(name)) {
                return true;
            }
            if (name.indexOf('.') < 0) {
                return false;
            }
        }
        return false;
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
        int prefix = 0;
        while (prefix < shorter && a.charAt(prefix) == b.charAt(prefix)) {
            prefix++;
        }
        int suffix = 0;
        while (suffix < shorter - prefix && a.charAt(a.length() - 1 - suffix) == b.charAt(b.length() - 1 - suffix)) {
            suffix++;
        }
        int changed = longer - prefix - suffix;
        if (changed == 1) {
            return true;
        }
        return changed == 2
                && shorter == longer
                && a.charAt(prefix) == b.charAt(prefix + 1)
                && a.charAt(prefix + 1) == b.charAt(prefix);
    }

    private static Set<String> read(String file) {
        try (InputStream in = Objects.requireNonNull(MailDomains.class.getResourceAsStream(file), file);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return lines.lines().filter(line -> !line.startsWith("#")).collect(Collectors.toUnmodifiableSet());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
