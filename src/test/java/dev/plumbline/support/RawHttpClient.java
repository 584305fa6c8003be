package dev.plumbline.support;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A raw HTTP/1.1 client that sends arbitrary bytes. */
public final class RawHttpClient implements AutoCloseable {
    private static final int TIMEOUT_MS = 20_000;
    private static final int EMPTY_LINE = '\r' << 24 | '\n' << 16 | '\r' << 8 | '\n';
    private static final Pattern LENGTH = Pattern.compile("(?m)^content-length: *(\\d+)");

    private final Socket socket;
    private final InputStream in;

    /** @param head the received bytes up to the empty line */
    public record RawResponse(int status, String head, String body) {
        public boolean closes() {
            return head.toLowerCase(Locale.ROOT).contains("connection: close");
        }
    }

    private RawHttpClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    public static RawHttpClient connect(int port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MS);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        return new RawHttpClient(socket);
    }

    public void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Shuts down the output. */
    public void finish() throws IOException {
        socket.shutdownOutput();
    }

    private @Nullable String head() throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int last = 0;
        while (last != EMPTY_LINE) {
            int next = in.read();
            if (next < 0) {
                if (head.size() == 0) {
                    return null;
                }
                throw new EOFException("the head ends early: " + head);
            }
            head.write(next);
            last = last << 8 | next;
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    /** Reads a response to HEAD. */
    public RawResponse headOnly() throws IOException {
        String text = head();
        if (text == null) {
            throw new EOFException("no response");
        }
        return new RawResponse(status(text), text, "");
    }

    private static int status(String head) {
        return Integer.parseInt(head.substring(9, 12));
    }

    /**
     * Reads one response.
     *
     * @return null if the connection ends before the first byte
     * @throws IOException if the response is incomplete or does not arrive
     */
    public @Nullable RawResponse response() throws IOException {
        String text = head();
        if (text == null) {
            return null;
        }
        Matcher length = LENGTH.matcher(text.toLowerCase(Locale.ROOT));
        int size = length.find() ? Integer.parseInt(length.group(1)) : 0;
        byte[] body = in.readNBytes(size);
        if (body.length < size) {
            throw new EOFException("the body ends early: " + body.length + " of " + size);
        }
        return new RawResponse(status(text), text, new String(body, StandardCharsets.UTF_8));
    }

    /** Whether the server closes the connection without sending another byte. */
    public boolean isEnded() throws IOException {
        return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
