package dev.plumbline.probe.starttls;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** STARTTLS of XMPP client-to-server streams (RFC 6120 section 5). Its units are text up to the end of a tag. */
final class XmppDialog extends StartTlsDialog {
    private static final String TLS = "urn:ietf:params:xml:ns:xmpp-tls";

    /** A tag: the slash of an end tag, the local name, and the slash of an empty element. */
    private static final Pattern TAG = Pattern.compile(
            "[^<]*<(/?)(?:[A-Za-z_][\\w.-]*+:)?([A-Za-z_][\\w.-]*+)(?:\\s[^<]*?)?(/?)>", Pattern.DOTALL);

    private final String host;
    private State state = State.HEADER;
    private boolean listed;
    private boolean inTag;
    private char quote;

    private enum State {
        HEADER,
        FEATURES,
        LIST,
        PROCEED,
        PROCEED_END,
        ERROR
    }

    XmppDialog(String host) {
        this.host = host;
    }

    @Override
    String opening() {
        return "<?xml version='1.0'?><stream:stream xmlns='jabber:client'"
                + " xmlns:stream='http://etherx.jabber.org/streams' version='1.0' to='" + host + "'>";
    }

    @Override
    boolean endsUnit(char next) {
        if (!inTag) {
            inTag = next == '<';
        } else if (quote != 0) {
            quote = next == quote ? 0 : quote;
        } else if (next == '\'' || next == '"') {
            quote = next;
        } else if (next == '>') {
            inTag = false;
            return true;
        }
        return false;
    }

    @Override
    Step receive(String unit) {
        if (state == State.HEADER && unit.strip().startsWith("<?xml")) {
            return Step.WAIT;
        }
        Matcher tag = TAG.matcher(unit);
        if (!tag.matches()) {
            return Step.end(Step.Kind.OTHER_PROTOCOL, unit);
        }
        boolean end = !tag.group(1).isEmpty();
        boolean empty = !tag.group(3).isEmpty();
        String name = tag.group(2);
        if (state == State.ERROR) {
            return Step.end(Step.Kind.REJECTED, name);
        }
        if (name.equals("error") || end && name.equals("stream")) {
            state = State.ERROR;
            return name.equals("error") && !empty ? Step.WAIT : Step.end(Step.Kind.REJECTED, "stream closed");
        }
        return next(unit, name, end, empty);
    }

    private Step next(String unit, String name, boolean end, boolean empty) {
        return switch (state) {
            case HEADER -> {
                state = State.FEATURES;
                yield name.equals("stream") && !end ? Step.WAIT : Step.end(Step.Kind.OTHER_PROTOCOL, unit);
            }
            case FEATURES -> {
                if (!name.equals("features")) {
                    yield Step.end(Step.Kind.OTHER_PROTOCOL, unit);
                }
                state = State.LIST;
                yield empty ? notOffered() : Step.WAIT;
            }
            case LIST -> {
                listed |= name.equals("starttls");
                if (!end || !name.equals("features")) {
                    yield Step.WAIT;
                }
                state = State.PROCEED;
                yield offer(listed, "<starttls xmlns='" + TLS + "'/>");
            }
            case PROCEED -> {
                if (!name.equals("proceed")) {
                    yield Step.end(Step.Kind.REFUSED, name);
                }
                state = State.PROCEED_END;
                yield empty ? startTls() : Step.WAIT;
            }
            default -> startTls();
        };
    }

    @Override
    String closing() {
        return "</stream:stream>";
    }
}
