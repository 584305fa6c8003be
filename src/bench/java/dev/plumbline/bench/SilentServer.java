package dev.plumbline.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;

/** Accepts every connection and never sends a byte. A check of it lasts until its timeout. */
final class SilentServer implements AutoCloseable {
    private static final int BACKLOG = 4_096;

    /** More than the concurrent checks of the service; older connections have timed out. */
    private static final int MOST_OPEN = 1_024;

    private final ServerSocket listener;

    SilentServer() throws IOException {
        listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        Thread acceptor = new Thread(this::accept, "silent-server");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    /** The URL without a path. */
    String site() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    private void accept() {
        Deque<Socket> open = new ArrayDeque<>();
        try {
            while (true) {
                open.add(listener.accept());
                if (open.size() > MOST_OPEN) {
                    open.remove().close();
                }
            }
        } catch (IOException closed) {
            for (Socket socket : open) {
                try {
                    socket.close();
                } catch (IOException gone) {
                    // close() ends the loop
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
