package dev.plumbline.module.web.header;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.net.InternetDomainName;
import dev.plumbline.module.web.header.ContentSecurityPolicy.Code;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

    /** Hosts whose scripts bypass a policy, and whether the bypass requires {@code 'unsafe-eval'}. */
    private static final Map<String, Boolean> BYPASS_HOSTS = readBypassHosts();

    private CspSourceList() {}

    /** Whether it is an IP address, which browsers ignore, except 127.0.0.1. */
    static boolean isIgnoredAddress(String source) {
        String host = host(source);
        return host != null && IP_ADDRESS.matcher(host).matches() && !host.equals("127.0.0.1");
    }

    /**
     * The weakness of a script source; null if it has none.
     *
     * @param evalAllowed whether the directive contains {@code 'unsafe-eval'}
     */
    static @Nullable Code weakness(String expression, boolean evalAllowed) {
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
        if (!file && isBypassHost(host, parent, evalAllowed)) {
            return Code.CSP_BYPASS_HOST;
        }
        return source.startsWith("http://") ? Code.CSP_PLAIN_HTTP_SOURCE : null;
    }

    private static boolean isBypassHost(String host, @Nullable String parent, boolean evalAllowed) {
        return BYPASS_HOSTS.entrySet().stream()
                .filter(bypass -> evalAllowed || !bypass.getValue())
                .map(Map.Entry::getKey)
                .anyMatch(parent == null ? host::equals : bypass -> bypass.endsWith("." + parent));
    }

    private static Map<String, Boolean> readBypassHosts() {
        try (InputStream in = CspSourceList.class.getResourceAsStream("csp-bypass-hosts.txt")) {
            return new String(in.readAllBytes(), US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" "))
                    .collect(Collectors.toUnmodifiableMap(line -> line[0], line -> line.length > 1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    /** Whether inline scripts can run without a nonce or hash: {@code 'strict-dynamic'} blocks them too. */
    static boolean allowsInlineScripts(List<String> sources) {
        return allowsInline(sources) && !contains(sources, "'strict-dynamic'");
    }
}
