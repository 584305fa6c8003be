package dev.plumbline.module.web;

import com.google.common.net.InternetDomainName;
import dev.plumbline.module.web.ContentSecurityPolicy.Code;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Source expressions of a Content-Security-Policy (CSP Level 3 section 2.3.1). */
final class CspSourceList {
    /** 128 bits in Base64. */
    private static final int MIN_NONCE_CHARACTERS = 22;

    private static final Pattern HOST_SOURCE =
            Pattern.compile("(?:[a-z][a-z0-9+.-]*+://)?([^/:\\[\\]]++|\\[[^\\]]*+\\])(?::[0-9*]++)?(/.*+)?");
    private static final Pattern IP_ADDRESS = Pattern.compile("[0-9.]++|\\[.*+");
    private static final Pattern NONCE = Pattern.compile("'(?i:nonce)-([a-zA-Z0-9+/_-]++=*+)'");
    private static final Pattern HASH =
            Pattern.compile("'sha(256|384|512)-[a-z0-9+/_-]++=*+'", Pattern.CASE_INSENSITIVE);

    /** Hosts with JSONP endpoints, script libraries or user uploads that run arbitrary scripts. Not complete. */
    private static final Set<String> BYPASS_HOSTS = Set.of(
            """
            accounts.google.com ajax.aspnetcdn.com ajax.googleapis.com api.flickr.com api.github.com cdn.bootcdn.net
            cdn.jsdelivr.net cdn.rawgit.com cdn.skypack.dev cdn.staticfile.org cdn.syndication.twimg.com
            cdnjs.cloudflare.com code.angularjs.org d.yimg.com esm.run esm.sh firebasestorage.googleapis.com ga.jspm.io
            googleads.g.doubleclick.net graph.facebook.com maps.googleapis.com mc.yandex.ru rawgit.com s3.amazonaws.com
            storage.googleapis.com translate.googleapis.com unpkg.com www.google-analytics.com www.google.com
            www.googleadservices.com www.googleapis.com www.googletagmanager.com www.gstatic.com yandex.st
            yastatic.net"""
                    .split("\\s+"));

    private CspSourceList() {}

    /** Whether it is an IP address, which browsers ignore, except 127.0.0.1. */
    static boolean isIgnoredAddress(String source) {
        String host = host(source);
        return host != null && IP_ADDRESS.matcher(host).matches() && !host.equals("127.0.0.1");
    }

    /** The weakness of a script source; null if it has none. */
    static @Nullable Code weakness(String expression) {
        String source = expression.toLowerCase(Locale.ROOT);
        if (isAnything(source) || source.equals("data:")) {
            return Code.CSP_ANY_SOURCE;
        }
        Matcher matcher = HOST_SOURCE.matcher(source);
        if (source.startsWith("'") || !matcher.matches()) {
            return null;
        }
        String host = matcher.group(1);
        String path = matcher.group(2);
        String parent = host.startsWith("*.") ? host.substring(2) : null;
        if (parent != null
                && InternetDomainName.isValid(parent)
                && InternetDomainName.from(parent).isPublicSuffix()) {
            return Code.CSP_SHARED_HOST;
        }
        boolean file = path != null && !path.endsWith("/");
        if (!file && BYPASS_HOSTS.stream().anyMatch(parent == null ? host::equals : h -> h.endsWith("." + parent))) {
            return Code.CSP_BYPASS_HOST;
        }
        return source.startsWith("http://") ? Code.CSP_PLAIN_HTTP_SOURCE : null;
    }

    /** Whether it matches any host. */
    static boolean isAnything(String expression) {
        String source = expression.toLowerCase(Locale.ROOT);
        return Set.of("*", "https:", "http:").contains(source) || "*".equals(host(source));
    }

    private static @Nullable String host(String source) {
        Matcher matcher = HOST_SOURCE.matcher(source);
        return !source.startsWith("'") && matcher.matches() ? matcher.group(1) : null;
    }

    static boolean isNonce(String source) {
        return NONCE.matcher(source).matches();
    }

    static boolean isShortNonce(String source) {
        Matcher nonce = NONCE.matcher(source);
        return nonce.matches() && nonce.group(1).length() < MIN_NONCE_CHARACTERS;
    }

    static boolean isNonceOrHash(String source) {
        return isNonce(source) || HASH.matcher(source).matches();
    }

    static boolean contains(List<String> sources, String keyword) {
        return sources.stream().anyMatch(keyword::equalsIgnoreCase);
    }

    /** Whether {@code 'unsafe-inline'} has an effect: a nonce or a hash disables it. */
    static boolean allowsInline(List<String> sources) {
        return contains(sources, "'unsafe-inline'") && sources.stream().noneMatch(CspSourceList::isNonceOrHash);
    }
}
