package dev.plumbline.module.web;

import com.google.common.base.Ascii;
import dev.plumbline.probe.http.HeaderParser;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed Alt-Svc header (RFC 7838 section 3).
 *
 * @param alternatives the usable alternatives, in order: valid, with a lifetime above 0
 * @param valid whether every part of the header conforms to the syntax
 */
record AltSvc(List<Alternative> alternatives, boolean valid) {
    private static final Pattern AUTHORITY = Pattern.compile("\"([^\"\\\\ ]{0,255}):(\\d{1,5})\"");
    private static final int MAX_PORT = 65_535;
    private static final Pattern EXPIRED = Pattern.compile("ma=\"?0+\"?");
    private static final Pattern MAX_AGE = Pattern.compile("ma=(\\d+|\"\\d+\")");

    /**
     * An alternative service.
     *
     * @param protocol the ALPN protocol ID
     * @param host in lower case, without a trailing dot; empty for the host of the URL
     * @param port from 1 to 65535
     */
    record Alternative(String protocol, String host, int port) {}

    /** The ALPN protocol IDs of the alternatives, in order and without repetitions. */
    List<String> protocols() {
        return alternatives.stream().map(Alternative::protocol).distinct().toList();
    }

    static AltSvc parse(String header) {
        Set<Alternative> alternatives = new LinkedHashSet<>();
        boolean valid = true;
        // "clear" is case-sensitive; a sender can use it only as the whole value
        if (header.strip().equals("clear")) {
            return new AltSvc(List.of(), true);
        }
        for (String alternative : HeaderParser.split(header, ',')) {
            if (alternative.isEmpty()) {
                continue;
            }
            List<String> parts = HeaderParser.split(alternative, ';');
            String service = parts.get(0);
            int equals = service.indexOf('=');
            String protocol = equals < 0 ? null : decoded(service.substring(0, equals));
            Matcher authority = AUTHORITY.matcher(service.substring(equals + 1));
            boolean usable = protocol != null && authority.matches() && isPort(authority.group(2));
            valid &= usable;
            for (String parameter : parts.subList(1, parts.size())) {
                String lifetime = parameter.replaceFirst("^(?i)ma=", "ma=");
                if (lifetime.startsWith("ma=")) {
                    valid &= MAX_AGE.matcher(lifetime).matches();
                    usable &= !EXPIRED.matcher(lifetime).matches();
                }
            }
            if (protocol != null && usable) {
                String host = Ascii.toLowerCase(authority.group(1));
                alternatives.add(new Alternative(
                        protocol,
                        host.endsWith(".") ? host.substring(0, host.length() - 1) : host,
                        Integer.parseInt(authority.group(2))));
            }
        }
        return new AltSvc(List.copyOf(alternatives), valid);
    }

    private static boolean isPort(String digits) {
        int port = Integer.parseInt(digits);
        return port > 0 && port <= MAX_PORT;
    }

    /** The ALPN protocol ID of a protocol-id, which is percent-encoded; null if it is invalid. */
    private static @Nullable String decoded(String text) {
        try {
            // a plus sign is not a space, as it is in forms
            return HeaderParser.isToken(text)
                    ? URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.ISO_8859_1)
                    : null;
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }
}
