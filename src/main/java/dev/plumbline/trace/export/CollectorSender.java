package dev.plumbline.trace.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.Compressor;
import io.opentelemetry.sdk.common.export.HttpResponse;
import io.opentelemetry.sdk.common.export.HttpSender;
import io.opentelemetry.sdk.common.export.HttpSenderConfig;
import io.opentelemetry.sdk.common.export.MessageWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of the exporter and waits for each response.
 *
 * <p>It replaces the sender of the library, which requests an upgrade to HTTP/2 ({@code h2c}) from each http URL. Some
 * proxies and servers reject such requests.
 */
final class CollectorSender implements HttpSender {
    private final HttpSenderConfig config;
    private final HttpClient client;

    CollectorSender(HttpSenderConfig config) {
        this.config = config;
        this.client = HttpClient.newBuilder()
                .connectTimeout(config.getConnectTimeout())
                .version(
                        "http".equalsIgnoreCase(config.getEndpoint().getScheme())
                                ? HttpClient.Version.HTTP_1_1
                                : HttpClient.Version.HTTP_2)
                .build();
    }

    @Override
    public void send(MessageWriter message, Consumer<HttpResponse> onResponse, Consumer<Throwable> onError) {
        // the body of the response is not stored
        CompletableFuture<java.net.http.HttpResponse<Void>> response = null;
        try {
            response = client.sendAsync(request(message), BodyHandlers.discarding());
            int status = response.get(config.getTimeout().toNanos(), TimeUnit.NANOSECONDS)
                    .statusCode();
            if (status / 100 == 2) {
                onResponse.accept(new Accepted(status));
            } else {
                // the exception of the library does not contain the status
                onError.accept(new IOException("HTTP status " + status));
            }
        } catch (ExecutionException failed) {
            onError.accept(failed.getCause());
        } catch (TimeoutException failed) {
            cancel(response);
            onError.accept(failed);
        } catch (IOException failed) {
            onError.accept(failed);
        } catch (InterruptedException interrupted) {
            cancel(response);
            Thread.currentThread().interrupt();
            onError.accept(interrupted);
        }
    }

    private HttpRequest request(MessageWriter message) throws IOException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(config.getEndpoint()).header("Content-Type", config.getContentType());
        config.getHeadersSupplier()
                .get()
                .forEach((name, values) -> values.forEach(value -> request.header(name, value)));
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        Compressor compressor = config.getCompressor();
        if (compressor == null) {
            message.writeMessage(body);
        } else {
            request.header("Content-Encoding", compressor.getEncoding());
            try (OutputStream compressed = compressor.compress(body)) {
                message.writeMessage(compressed);
            }
        }
        return request.POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
                .build();
    }

    private static void cancel(@Nullable CompletableFuture<?> response) {
        if (response != null) {
            response.cancel(true);
        }
    }

    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }

    /** A successful response without its body. */
    private record Accepted(int code) implements HttpResponse {
        @Override
        public int getStatusCode() {
            return code;
        }

        @Override
        public String getStatusMessage() {
            return Integer.toString(code);
        }

        @Override
        public byte[] getResponseBody() {
            return new byte[0];
        }
    }
}
