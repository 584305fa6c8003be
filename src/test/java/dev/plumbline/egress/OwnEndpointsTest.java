package dev.plumbline.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.target.IpAddressText;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OwnEndpointsTest {
    private static final Duration LEASE = Duration.ofSeconds(20);

    private final AtomicLong nanos = new AtomicLong(TimeUnit.HOURS.toNanos(1));
    private final OwnEndpoints own = new OwnEndpoints(nanos::get);

    private static InetAddress ip(String text) {
        return Objects.requireNonNull(IpAddressText.parse(text));
    }

    private static OwnEndpoints.Socket socket(String address, int port) {
        return new OwnEndpoints.Socket(ip(address), port);
    }

    @Test
    void socketsOfAllNodesAreOwn() {
        own.setNodes(List.of(socket("192.0.2.1", 8080), socket("2001:db8::1", 9090)), LEASE);

        assertThat(own.test(ip("192.0.2.1"), 8080)).isTrue();
        assertThat(own.test(ip("2001:db8::1"), 9090)).isTrue();
        assertThat(own.test(ip("192.0.2.1"), 443)).isFalse();
        assertThat(own.test(ip("192.0.2.2"), 8080)).isFalse();
    }

    @Test
    void portsOfNodesOnThisMachineAreOwnOnEveryLocalAddress() {
        own.setNodes(List.of(socket("127.0.0.1", 8081)), LEASE);

        assertThat(own.test(ip("127.0.0.99"), 8081)).isTrue();
        assertThat(own.test(ip("192.0.2.1"), 8081)).isFalse();
    }

    @Test
    void socketsOfANodeThatLeftStayOwnForALease() {
        own.setNodes(List.of(socket("192.0.2.1", 8080), socket("192.0.2.2", 8080)), LEASE);
        own.setNodes(List.of(socket("192.0.2.2", 8080)), LEASE);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(20));
        own.setNodes(List.of(socket("192.0.2.2", 8080)), LEASE);

        assertThat(own.test(ip("192.0.2.1"), 8080)).isTrue();

        nanos.addAndGet(1);
        own.setNodes(List.of(socket("192.0.2.2", 8080)), LEASE);

        assertThat(own.test(ip("192.0.2.1"), 8080)).isFalse();
        assertThat(own.test(ip("192.0.2.2"), 8080)).isTrue();
    }

    @Test
    void aNodeThatReturnsIsRetainedAgainAfterItLeaves() {
        own.setNodes(List.of(socket("192.0.2.1", 8080)), LEASE);
        own.setNodes(List.of(), LEASE);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(15));
        own.setNodes(List.of(socket("192.0.2.1", 8080)), LEASE);
        own.setNodes(List.of(), LEASE);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(15));
        own.setNodes(List.of(), LEASE);

        assertThat(own.test(ip("192.0.2.1"), 8080)).isTrue();
    }
}
