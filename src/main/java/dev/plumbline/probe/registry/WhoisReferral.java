package dev.plumbline.probe.registry;

import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the WHOIS server to which a response refers. */
final class WhoisReferral {
    static final int PORT = 43;

    private static final int MAX_LINE_LENGTH = 512;
    private static final Set<String> IANA_KEYS = Set.of("whois", "refer");
    private static final Set<String> REGISTRY_KEYS = Set.of("registrar whois server", "whois server", "referralserver");
    private static final Pattern SCHEME = Pattern.compile("^r?whois://|/.*$");

    private WhoisReferral() {}

    /**
     * The server of a top-level domain; null if there is none.
     *
     * @param ownPort an allowed port besides 43, so that referrals cannot lead to other services
     */
    static Target.@Nullable HostPort fromIana(String text, int ownPort) {
        return find(text, IANA_KEYS, ownPort);
    }

    /**
     * The server of the registrar; null if there is none.
     *
     * @param ownPort see {@link #fromIana}
     */
    static Target.@Nullable HostPort fromRegistry(String text, int ownPort) {
        return find(text, REGISTRY_KEYS, ownPort);
    }

    /** Parses a host with an optional port; null if it is not valid. */
    static Target.@Nullable HostPort server(String text) {
        String plain = SCHEME.matcher(text.strip()).replaceAll("");
        if (plain.isEmpty()) {
            return null;
        }
        try {
            return TargetParser.endpoint(plain, PORT);
        } catch (InvalidTargetException none) {
            return null;
        }
    }

    private static Target.@Nullable HostPort find(String text, Set<String> keys, int ownPort) {
        for (int at = 0; at < text.length(); ) {
            int end = text.indexOf('\n', at);
            end = end < 0 ? text.length() : end;
            String line = end - at > MAX_LINE_LENGTH ? "" : text.substring(at, end);
            int colon = line.indexOf(':');
            if (colon >= 0 && keys.contains(line.substring(0, colon).strip().toLowerCase(Locale.ROOT))) {
                Target.HostPort server = server(line.substring(colon + 1));
                if (server != null && (server.port() == PORT || server.port() == ownPort)) {
                    return server;
                }
            }
            at = end + 1;
        }
        return null;
    }
}
