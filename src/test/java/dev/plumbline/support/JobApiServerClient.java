package dev.plumbline.support;

import dev.plumbline.account.TestAccounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** A client of {@link JobApiServer} with an API key. Validates responses against openapi.json. */
public final class JobApiServerClient {
    private static final ContractValidator CONTRACT = new ContractValidator();

    private final JobApiServer server;
    private final TestAccounts.Key key;

    public JobApiServerClient(JobApiServer server, TestAccounts.Key key) {
        this.server = server;
        this.key = key;
    }

    /**
     * Sends a request and waits for the response.
     *
     * @param rest the path after {@code /api/v1/jobs}
     */
    public HttpResponse<String> get(String rest, String... headers) {
        try {
            HttpRequest request = request(rest, headers);
            HttpResponse<String> response = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .build()
                    .send(request, HttpResponse.BodyHandlers.ofString());
            CONTRACT.verify("GET", request.uri(), response);
            return response;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    public int status(String rest) {
        return get(rest).statusCode();
    }

    public CompletableFuture<HttpResponse<String>> getAsync(String rest, String... headers) {
        HttpRequest request = request(rest, headers);
        return HttpClient.newHttpClient()
                .sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .thenApply(response -> {
                    CONTRACT.verify("GET", request.uri(), response);
                    return response;
                });
    }

    private HttpRequest request(String rest, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/api/v1/jobs" + rest));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request.header("X-Api-Key", key.secret()).build();
    }

    /** Opens a request with small receive buffers. The response is not read. */
    public Socket open(String version, String rest, String... headers) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(16 * 1024);
        socket.setSoTimeout(20_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        socket.getOutputStream()
                .write(("GET /api/v1/jobs"
                                + rest
                                + " "
                                + version
                                + "\r\nHost: a\r\nConnection: close\r\nX-Api-Key: "
                                + key.secret()
                                + "\r\n"
                                + more
                                + "\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }
}
