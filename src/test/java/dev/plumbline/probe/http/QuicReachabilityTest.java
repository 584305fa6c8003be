package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class QuicReachabilityTest {
    private static final SocketAddress SERVER = SocketAddress.inetSocketAddress(443, "192.0.2.1");

    private final AtomicLong nanos = new AtomicLong();
    private final QuicReachability reachability = new QuicReachability(nanos::get);

    @Test
    void aResponseConfirmsThePortForAllServersOfTheIpVersion() {
        assertThat(reachability.isConfirmed(SERVER)).isFalse();

        reachability.confirm(SERVER);

        assertThat(reachability.isConfirmed(SocketAddress.inetSocketAddress(443, "198.51.100.1")))
                .isTrue();
        assertThat(reachability.isConfirmed(SocketAddress.inetSocketAddress(8443, "192.0.2.1")))
                .isFalse();
        assertThat(reachability.isConfirmed(SocketAddress.inetSocketAddress(443, "2001:db8::1")))
                .isFalse();
    }

    @Test
    void aResponseIsForgottenAfterAnHour() {
        reachability.confirm(SERVER);

        nanos.addAndGet(QuicReachability.MAX_AGE.minusSeconds(1).toNanos());
        assertThat(reachability.isConfirmed(SERVER)).isTrue();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());

        assertThat(reachability.isConfirmed(SERVER)).isFalse();
    }
}
