package dev.plumbline.module.web;

import dev.plumbline.probe.http.HeaderParser;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed Alt-Svc header (RFC 7838 section 3).
 *
 * @param protocols the ALPN protocol IDs of the usable alternatives, in order: valid, with a lifetime above 0
 * @param valid whether every part of the header conforms to the syntax
 */
record AltSvc(List<String> protocols, boolean valid) {
    private static final Pattern AUTHORITY = Pattern.compile("\"[^\"\\\\ ]{0,255}:\\d{1,5}\"");
    private static final Pattern EXPIRED = Pattern.compile("ma=\"?0+\"?");
    private static final Pattern MAX_AGE = Pattern.compile("ma=(\\d+|\"\\d+\")");

    static AltSvc parse(String header) {
        Set<String> protocols = new LinkedHashSet<>();
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
            boolean usable = protocol != null
                    && AUTHORITY.matcher(service.substring(equals + 1)).matches();
            valid &= usable;
            for (String parameter : parts.subList(1, parts.size())) {
                String lifetime = parameter.replaceFirst("^(?i)ma=", "ma=");
                if (lifetime.startsWith("ma=")) {
                    valid &= MAX_AGE.matcher(lifetime).matches();
                    usable &= !EXPIRED.matcher(lifetime).matches();
                }
            }
            if (usable) {
                protocols.add(protocol);
            }
        }
        return new AltSvc(List.copyOf(protocols), valid);
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
