package dev.plumbline.probe.tcp;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attempts to connect to the addresses of a host, in order, up to the first that succeeded.
 *
 * @param addresses all addresses of the host
 * @param failures the errors of the first addresses, in order
 * @param address the address that accepted the connection, null if none did
 * @param exchange the data exchanged with it, null if none accepted
 */
public record ConnectAttempts(
        List<InetAddress> addresses,
        List<CheckError> failures,
        @Nullable InetAddress address,
        TcpProbe.@Nullable Exchange exchange) {
    private static final List<ErrorCode> MOST_SPECIFIC_FIRST =
            List.of(ErrorCode.CONNECT_REFUSED, ErrorCode.CONNECTION_RESET, ErrorCode.CONNECT_TIMEOUT);

    /** The addresses that failed before one accepted, or all that were tried. */
    public List<InetAddress> failed() {
        return addresses.subList(0, failures.size());
    }

    /** The most specific of the failures: a response (refused, reset) before a timeout. */
    public CheckError error() {
        return MOST_SPECIFIC_FIRST.stream()
                .flatMap(code -> failures.stream().filter(failure -> failure.code() == code))
                .findFirst()
                .orElseGet(() -> failures.get(0));
    }

    /** The address whose failure is {@link #error()}. */
    public InetAddress errorAddress() {
        return addresses.get(failures.indexOf(error()));
    }
}
