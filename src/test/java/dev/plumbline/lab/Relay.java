package dev.plumbline.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A line to another server on loopback that can be cut and mended. */
public final class Relay implements AutoCloseable {
  private final ServerSocket listener;
  private final int targetPort;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;

  public Relay(int targetPort) {
    this.targetPort = targetPort;
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    daemon(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Resets every connection, and every new one. */
  public void cut() {
    cut = true;
    open.forEach(Relay::reset);
  }

  public void mend() {
    cut = false;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket near = listener.accept();
        open.add(near);
        if (cut) {
          reset(near);
          continue;
        }
        Socket far = new Socket(InetAddress.getLoopbackAddress(), targetPort);
        open.add(far);
        daemon(() -> copy(near, far));
        daemon(() -> copy(far, near));
      } catch (IOException closed) {
        // the listener was closed, or the server behind is away: the next accept tells
      }
    }
  }

  private void copy(Socket from, Socket to) {
    byte[] buffer = new byte[16 * 1024];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
        out.flush();
      }
    } catch (IOException ended) {
      // one side has gone; closing both is all there is to do
    } finally {
      reset(from);
      reset(to);
      open.remove(from);
      open.remove(to);
    }
  }

  private static void reset(Socket socket) {
    try {
      socket.close();
    } catch (IOException alreadyClosed) {
      throw new java.io.UncheckedIOException(alreadyClosed);
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cut();
  }
}
