package dev.plumbline.module.mail;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The DKIM selectors that mail services and mail servers use by default. */
final class DkimSelectors {
    /** The maximum number of selectors to test before those that CNAME records suggest. */
    static final int MAX = 50;

    /** Selectors of many domains, the most frequent first. */
    static final List<String> COMMON = MailDomains.lines("dkim-selectors.txt");

    private static final List<Service> SERVICES =
            MailDomains.lines("dkim-services.txt").stream().map(Service::parse).toList();

    private static final Pattern SPACES = Pattern.compile("\\s++");

    /** @param suffixes of names in MX, SPF and CNAME records that show that a domain uses the service */
    private record Service(List<String> suffixes, List<String> selectors) {
        static Service parse(String line) {
            String[] parts = line.split(": ", 2);
            return new Service(List.of(parts[0].split(" ")), List.of(parts[1].split(" ")));
        }

        boolean usedBy(Collection<String> names) {
            return names.stream().anyMatch(name -> suffixes.stream()
                    .anyMatch(suffix -> name.equals(suffix) || name.endsWith("." + suffix)));
        }
    }

    private DkimSelectors() {}

    /** The selectors of the services that the names belong to, without duplicates. */
    static Set<String> suggestedBy(Collection<String> names) {
        Set<String> selectors = new LinkedHashSet<>();
        SERVICES.stream()
                .filter(service -> service.usedBy(names))
                .map(Service::selectors)
                .forEach(selectors::addAll);
        return selectors;
    }

    /** The selectors that the names suggest, and then the common ones. */
    static List<String> candidates(Collection<String> names) {
        Set<String> selectors = suggestedBy(names);
        selectors.addAll(COMMON);
        return selectors.stream().limit(MAX).toList();
    }

    /** The domains that an SPF record refers to, in lower case. */
    static List<String> domainsOf(String spf) {
        return SPACES.splitAsStream(spf)
                .map(term -> term.substring(Math.max(term.indexOf(':'), term.indexOf('=')) + 1))
                .filter(domain -> domain.indexOf('.') > 0)
                .map(domain -> domain.toLowerCase(Locale.ROOT))
                .limit(MAX)
                .toList();
    }
}
