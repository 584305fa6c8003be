package dev.plumbline.probe.registry;

import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the WHOIS server to which a response refers. */
final class WhoisReferral {
    static final int PORT = 43;

    private static final int MAX_LINE_LENGTH = 512;

    /** The keys of the server of a top-level domain in responses of IANA. */
    static final Set<String> IANA_KEYS = Set.of("whois", "refer");

    /** The keys of the server of the registrar in responses of registries. */
    static final Set<String> REGISTRY_KEYS = Set.of("registrar whois server", "whois server", "referralserver");

    private static final Pattern SCHEME = Pattern.compile("^r?whois://|/.*$");

    private WhoisReferral() {}

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

    /**
     * The server with one of the keys; null if there is none.
     *
     * @param ownPort the only allowed port besides 43. Referrals to other ports can lead to other services
     */
    static Target.@Nullable HostPort find(String text, Set<String> keys, int ownPort) {
        return text.lines()
                .filter(line -> line.length() <= MAX_LINE_LENGTH)
                .map(line -> line.split(":", 2))
                .filter(parts ->
                        parts.length == 2 && keys.contains(parts[0].strip().toLowerCase(Locale.ROOT)))
                .flatMap(parts -> Stream.ofNullable(server(parts[1])))
                .filter(server -> server.port() == PORT || server.port() == ownPort)
                .findFirst()
                .orElse(null);
    }
}
