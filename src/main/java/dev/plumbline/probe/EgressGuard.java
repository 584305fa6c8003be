package dev.plumbline.probe;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Host;
import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Function;

/**
 * The only way to a target: names are resolved here, every address is classified, connections are
 * dialled to the classified address under the pace and concurrency caps of its address, network and
 * registrable domain.
 */
public final class EgressGuard {

  /**
   * The addresses of a host that may be dialled, in the order to try them; never empty. Fails with
   * {@code target_blocked} when even one address of the name is forbidden, with a {@code dns_*}
   * error when there is none, and with {@link dev.plumbline.check.BusyFailure} when the resolver's
   * queue is full.
   */
  public Future<List<InetAddress>> resolve(CheckContext context, Host host, int port) {
    return Future.failedFuture("not built yet");
  }

  /**
   * Runs one exchange with one address, holding its permits until the exchange has ended. The
   * address is classified once more, the check's request budget is charged.
   *
   * @param host the host in whose name the address is dialled, for the cap per registrable domain
   * @param exchange opens the connection to the given, pinned address and ends when it is closed
   */
  public <T> Future<T> dial(
      CheckContext context,
      Host host,
      InetAddress address,
      int port,
      Function<SocketAddress, Future<T>> exchange) {
    return Future.failedFuture("not built yet");
  }

  /** Fails when a connection's peer is not the address that was classified. */
  public void assertPeer(SocketAddress peer, InetAddress pinned, int port) {}
}
