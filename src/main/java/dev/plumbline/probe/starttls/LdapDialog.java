package dev.plumbline.probe.starttls;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The StartTLS operation of LDAP (RFC 4511 section 4.14). Its unit is one LDAPMessage in BER with a definite length
 * (section 5.1).
 */
final class LdapDialog extends StartTlsDialog {
    private static final char SEQUENCE = 0x30;
    private static final char INTEGER = 0x02;
    private static final char ENUMERATED = 0x0a;
    private static final char OCTET_STRING = 0x04;
    private static final char EXTENDED_RESPONSE = 0x78;

    private static final int SUCCESS = 0;
    private static final int PROTOCOL_ERROR = 2;

    private static final String REQUEST_ID = "\u0001";

    /** The identifier of a notice of disconnection (RFC 4511 section 4.4.1). */
    private static final String UNSOLICITED_ID = "\0";

    /** LDAPMessage 1: ExtendedRequest with the name 1.3.6.1.4.1.1466.20037. */
    private static final String REQUEST = ofHex("301d02010177188016") + "1.3.6.1.4.1.1466.20037";

    /** LDAPMessage 2: UnbindRequest. */
    private static final String UNBIND = ofHex("30050201024200");

    private final StringBuilder received = new StringBuilder();

    /** As {@link #lengthOf}. */
    private int length;

    /** The content of an element and the text after the element. */
    private record Element(String content, String rest) {}

    @Override
    boolean binary() {
        return true;
    }

    @Override
    String opening() {
        return REQUEST;
    }

    @Override
    String closing() {
        return UNBIND;
    }

    @Override
    boolean endsUnit(char next) {
        received.append(next);
        if (length == 0) {
            length = lengthOf(received);
        }
        return received.charAt(0) != SEQUENCE || length < 0 || length > 0 && received.length() >= length;
    }

    @Override
    Step receive(String unit) {
        Element message = element(unit, SEQUENCE);
        Element id = message == null ? null : element(message.content, INTEGER);
        Element response = id == null ? null : element(id.rest, EXTENDED_RESPONSE);
        Element code = response == null ? null : element(response.content, ENUMERATED);
        Element matchedDn = code == null ? null : element(code.rest, OCTET_STRING);
        Element diagnostic = matchedDn == null ? null : element(matchedDn.rest, OCTET_STRING);
        if (id == null || code == null || diagnostic == null || code.content.length() != 1) {
            return Step.end(Step.Kind.OTHER_PROTOCOL, unit);
        }
        if (id.content.equals(UNSOLICITED_ID)) {
            return Step.end(Step.Kind.REJECTED, describe(code, diagnostic));
        }
        if (!id.content.equals(REQUEST_ID)) {
            return Step.end(Step.Kind.OTHER_PROTOCOL, unit);
        }
        return switch (code.content.charAt(0)) {
            case SUCCESS -> startTls();
            // the server does not support TLS (RFC 4511 section 4.14.2)
            case PROTOCOL_ERROR -> notOffered();
            default -> Step.end(Step.Kind.REFUSED, describe(code, diagnostic));
        };
    }

    private static String describe(Element code, Element diagnostic) {
        String text =
                new String(diagnostic.content.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8).strip();
        return "result code " + (int) code.content.charAt(0) + (text.isEmpty() ? "" : ": " + text);
    }

    /** The first element of a text; null if it has another tag or is not complete. */
    private static @Nullable Element element(String text, char tag) {
        int end = lengthOf(text);
        if (end <= 0 || end > text.length() || text.charAt(0) != tag) {
            return null;
        }
        int header = text.charAt(1) < 0x80 ? 2 : 2 + (text.charAt(1) & 0x7f);
        return new Element(text.substring(header, end), text.substring(end));
    }

    /**
     * The number of bytes of the first element; 0 if its length was not received, -1 if it is not definite or exceeds
     * the limit.
     */
    private static int lengthOf(CharSequence text) {
        if (text.length() < 2) {
            return 0;
        }
        int bytes = text.charAt(1) & 0x7f;
        if (text.charAt(1) < 0x80) {
            return 2 + bytes;
        }
        if (bytes == 0 || bytes > Integer.BYTES) {
            return -1;
        }
        if (text.length() < 2 + bytes) {
            return 0;
        }
        long content = 0;
        for (int i = 0; i < bytes; i++) {
            content = content << Byte.SIZE | text.charAt(2 + i);
        }
        return content > StartTlsSession.MAX_BYTES ? -1 : 2 + bytes + (int) content;
    }
}
