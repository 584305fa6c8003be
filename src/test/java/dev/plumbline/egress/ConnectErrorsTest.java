package dev.plumbline.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.net.SocketAddress;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectErrorsTest {
    private static final String AT = ": /192.0.2.1:443";

    static Stream<Arguments> causes() {
        return Stream.of(
                Arguments.of(new ConnectException("Connection refused" + AT), ErrorCode.CONNECT_REFUSED),
                Arguments.of(new ConnectException("Connection timed out" + AT), ErrorCode.CONNECT_TIMEOUT),
                Arguments.of(
                        new ConnectTimeoutException("connection timed out after 9 ms" + AT), ErrorCode.CONNECT_TIMEOUT),
                Arguments.of(new ConnectException("Network is unreachable" + AT), ErrorCode.CONNECT_UNREACHABLE),
                Arguments.of(new SocketException("Network is unreachable" + AT), ErrorCode.CONNECT_UNREACHABLE),
                Arguments.of(new NoRouteToHostException("No route to host" + AT), ErrorCode.CONNECT_UNREACHABLE),
                Arguments.of(new BindException("Permission denied" + AT), ErrorCode.CONNECT_UNREACHABLE),
                Arguments.of(new ConnectException("Permission denied" + AT), ErrorCode.CONNECT_UNREACHABLE),
                Arguments.of(new ConnectException(), ErrorCode.CONNECT_UNREACHABLE),
                Arguments.of(new SocketException("Connection reset by peer" + AT), ErrorCode.CONNECTION_RESET));
    }

    @ParameterizedTest
    @MethodSource("causes")
    void mapsExceptionsToErrorCodes(Exception cause, ErrorCode code) {
        CheckError error = ConnectErrors.of(cause, SocketAddress.inetSocketAddress(443, "192.0.2.1"))
                .error();

        assertThat(error.code()).isEqualTo(code);
        assertThat(error.message()).contains(" 192.0.2.1");
    }

    @Test
    void enclosesAnIpv6AddressBeforeAPortInBrackets() {
        SocketAddress remote = SocketAddress.inetSocketAddress(443, "2001:db8::1");

        assertThat(ConnectErrors.of(new ConnectException("Connection refused"), remote)
                        .error())
                .hasToString("CheckError[code=CONNECT_REFUSED, message=Connection refused by [2001:db8::1]:443.]");
        assertThat(ConnectErrors.of(new ConnectException(), remote).error().message())
                .isEqualTo("No route to host 2001:db8::1.");
    }
}
