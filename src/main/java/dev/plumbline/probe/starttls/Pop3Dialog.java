package dev.plumbline.probe.starttls;

import java.util.List;

/** STLS of POP3 (RFC 2595 section 4, RFC 2449). */
final class Pop3Dialog extends StartTlsDialog {
    private State state = State.GREETING;
    private boolean listed;

    private enum State {
        GREETING,
        CAPABILITIES,
        LIST,
        COMMAND
    }

    @Override
    Step receive(String unit) {
        if (state == State.LIST) {
            listed |= unit.equalsIgnoreCase("STLS");
            if (!unit.equals(".")) {
                return Step.WAIT;
            }
            state = State.COMMAND;
            return offer(listed, "STLS\r\n");
        }
        boolean ok = unit.startsWith("+OK");
        if (!ok && !unit.startsWith("-ERR")) {
            return Step.end(Step.Kind.OTHER_PROTOCOL, unit);
        }
        return switch (state) {
            case GREETING -> {
                setBanner(List.of(unit));
                state = State.CAPABILITIES;
                yield ok ? Step.send("CAPA\r\n") : Step.end(Step.Kind.REJECTED, unit);
            }
            case CAPABILITIES -> {
                // a server without CAPA can support STLS
                state = ok ? State.LIST : State.COMMAND;
                yield ok ? Step.WAIT : Step.send("STLS\r\n");
            }
            default -> ok ? startTls() : listed ? Step.end(Step.Kind.REFUSED, unit) : notOffered();
        };
    }
}
