package dev.plumbline.module.web;

import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import java.util.Objects;
import java.util.Set;

/** The causes of an incomplete trace. */
final class TraceErrors {
    /** The errors of a host without a web server on a port. */
    static final Set<ErrorCode> NOT_LISTENING =
            Set.of(ErrorCode.CONNECT_REFUSED, ErrorCode.CONNECT_TIMEOUT, ErrorCode.CONNECT_UNREACHABLE);

    /** The errors of a name without an address. */
    static final Set<ErrorCode> NO_ADDRESS = Set.of(ErrorCode.DNS_NXDOMAIN, ErrorCode.DNS_NO_DATA);

    private TraceErrors() {}

    /** Whether the trace ended with one of these errors before the first response. */
    static boolean startsWith(RedirectTrace trace, Set<ErrorCode> codes) {
        CheckError error = trace.error();
        return trace.hops().isEmpty() && error != null && codes.contains(error.code());
    }

    static String message(RedirectTrace trace) {
        return Objects.requireNonNull(trace.error()).message();
    }
}
