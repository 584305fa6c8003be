package dev.plumbline.probe.registry;

import dev.plumbline.check.InputType;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds in an answer of WHOIS which server knows more. */
final class WhoisReferral {
    static final int PORT = 43;

    private static final int MOST_LINE = 512;
    private static final Set<String> BY_IANA = Set.of("whois", "refer");
    private static final Set<String> BY_REGISTRIES = Set.of("registrar whois server", "whois server", "referralserver");
    private static final Pattern SCHEME = Pattern.compile("^r?whois://|/.*$");

    private static final ModuleDescription SERVER = ModuleDescription.of(
                    "whois-server", "WHOIS server", InputType.HOST_PORT)
            .defaultPort(PORT)
            .build();

    private WhoisReferral() {}

    /**
     * The server of a top-level domain that IANA names, null for none.
     *
     * @param ownPort a port that may be named beside that of WHOIS: where somebody else's answers
     *     lead, no other service is to be spoken to
     */
    static Target.@Nullable HostPort ofIana(String text, int ownPort) {
        return find(text, BY_IANA, ownPort);
    }

    /** The registrar's server that a registry names, null for none; the port as above. */
    static Target.@Nullable HostPort ofRegistry(String text, int ownPort) {
        return find(text, BY_REGISTRIES, ownPort);
    }

    /** A server as it is written: a host, perhaps with a port. Null where it is none. */
    static Target.@Nullable HostPort server(String text) {
        String plain = SCHEME.matcher(text.strip()).replaceAll("");
        if (plain.isEmpty()) {
            return null;
        }
        try {
            return (Target.HostPort) TargetParser.parse(SERVER, plain);
        } catch (InvalidTargetException none) {
            return null;
        }
    }

    private static Target.@Nullable HostPort find(String text, Set<String> keys, int ownPort) {
        for (int at = 0; at < text.length(); ) {
            int end = text.indexOf('\n', at);
            end = end < 0 ? text.length() : end;
            String line = end - at > MOST_LINE ? "" : text.substring(at, end);
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
