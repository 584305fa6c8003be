package dev.plumbline.module.web;

import com.google.common.net.InternetDomainName;
import dev.plumbline.module.web.ContentSecurityPolicy.Gap;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The sources that a content security policy names (CSP Level 3 section 2.3.1). Pure. */
final class CspSourceList {
    private static final int NONCE_CHARACTERS = 22; // 128 bits in base64, as CSP asks for
    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+.-]*+:");
    private static final Pattern HOST_SOURCE =
            Pattern.compile("(?:([a-z][a-z0-9+.-]*+)://)?([^/:\\[\\]]++|\\[[^\\]]*+\\])(?::[0-9*]++)?(/.*+)?");
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]++|\\[.*+");
    private static final Pattern NONCE = Pattern.compile("'nonce-([a-zA-Z0-9+/_-]++=*+)'");
    private static final Pattern HASH =
            Pattern.compile("'sha(256|384|512)-[a-z0-9+/_-]++=*+'", Pattern.CASE_INSENSITIVE);

    /** Hosts from which everybody can load a script that runs what they like. */
    private static final List<String> BYPASS_HOSTS = List.of(
            "accounts.google.com",
            "ajax.aspnetcdn.com",
            "ajax.googleapis.com",
            "api.flickr.com",
            "api.github.com",
            "cdn.bootcdn.net",
            "cdn.jsdelivr.net",
            "cdn.rawgit.com",
            "cdn.skypack.dev",
            "cdn.staticfile.org",
            "cdn.syndication.twimg.com",
            "cdnjs.cloudflare.com",
            "code.angularjs.org",
            "d.yimg.com",
            "esm.run",
            "esm.sh",
            "firebasestorage.googleapis.com",
            "ga.jspm.io",
            "googleads.g.doubleclick.net",
            "graph.facebook.com",
            "maps.googleapis.com",
            "mc.yandex.ru",
            "rawgit.com",
            "s3.amazonaws.com",
            "storage.googleapis.com",
            "translate.googleapis.com",
            "unpkg.com",
            "www.google-analytics.com",
            "www.google.com",
            "www.googleadservices.com",
            "www.googleapis.com",
            "www.googletagmanager.com",
            "www.gstatic.com",
            "yandex.st",
            "yastatic.net");

    private CspSourceList() {}

    /** Whether it is an address that browsers do not take for a host. */
    static boolean isForeignAddress(String source) {
        String host = host(source);
        return host != null && ADDRESS.matcher(host).matches() && !host.equals("127.0.0.1");
    }

    /** A source by which everybody, or far too many, can have a script run; null for others. */
    static @Nullable Gap gapOf(String source) {
        if (isAnything(source) || source.equals("data:")) {
            return Gap.ANY_SOURCE;
        }
        if (SCHEME.matcher(source).matches() || source.startsWith("'")) {
            return null;
        }
        String host = host(source);
        if (host == null) {
            return null;
        }
        if (isShared(host)) {
            return Gap.SHARED_HOST;
        }
        if (!namesAFile(source) && BYPASS_HOSTS.stream().anyMatch(covers(host))) {
            return Gap.BYPASS_HOST;
        }
        return source.startsWith("http://") ? Gap.PLAIN_HTTP_SOURCE : null;
    }

    static boolean isAnything(String source) {
        String lower = source.toLowerCase(Locale.ROOT);
        return lower.equals("*") || lower.equals("https:") || lower.equals("http:") || "*".equals(host(lower));
    }

    private static Predicate<String> covers(String host) {
        return host.startsWith("*.") ? known -> known.endsWith(host.substring(1)) : host::equals;
    }

    /** Whether a wildcard stands right above a suffix below which everybody can have a name. */
    private static boolean isShared(String host) {
        if (!host.startsWith("*.")) {
            return false;
        }
        try {
            return InternetDomainName.from(host.substring(2)).isPublicSuffix();
        } catch (IllegalArgumentException noName) {
            return false;
        }
    }

    private static boolean namesAFile(String source) {
        Matcher matcher = HOST_SOURCE.matcher(source);
        if (!matcher.matches()) {
            return false;
        }
        String path = matcher.group(3);
        return path != null && !path.endsWith("/");
    }

    private static @Nullable String host(String source) {
        Matcher matcher = HOST_SOURCE.matcher(source);
        return matcher.matches() && !source.startsWith("'") ? matcher.group(2) : null;
    }

    static boolean isNonce(String source) {
        return source.regionMatches(true, 0, "'nonce-", 0, 7)
                && NONCE.matcher("'nonce-" + source.substring(7)).matches();
    }

    static boolean hasNonceOrHash(List<String> sources) {
        return sources.stream().anyMatch(source -> isNonce(source) || isHash(source));
    }

    static boolean isHash(String source) {
        return HASH.matcher(source).matches();
    }

    static boolean holds(List<String> sources, String keyword) {
        return sources.stream().anyMatch(keyword::equalsIgnoreCase);
    }

    /** Whether it is a nonce of fewer than 128 bits. */
    static boolean shortNonce(String source) {
        Matcher nonce = NONCE.matcher(source);
        return nonce.matches() && nonce.group(1).length() < NONCE_CHARACTERS;
    }
}
