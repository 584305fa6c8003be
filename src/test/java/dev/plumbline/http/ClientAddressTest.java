package dev.plumbline.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.handler.HttpException;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(VertxExtension.class)
class ClientAddressTest {
    private static final List<String> LOOPBACK_AND_TEN = List.of("127.0.0.0/8", "10.0.0.0/8", "::1");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "- | - | 127.0.0.1",
                "- | 203.0.113.7 | 203.0.113.7",
                "- | 198.51.100.1, 203.0.113.7 | 203.0.113.7",
                "- | 198.51.100.1, 203.0.113.7, 10.1.2.3 | 203.0.113.7",
                "- | 203.0.113.7:4711 | 203.0.113.7",
                "- | 2001:db8:1:2:3:4:5:6 | 2001:db8:1:2:0:0:0:0/64",
                "- | [2001:db8:1:2:3:4:5:6]:4711 | 2001:db8:1:2:0:0:0:0/64",
                "- | ::ffff:203.0.113.7 | 203.0.113.7",
                "- | 203.0.113.7, unknown | 127.0.0.1",
                "- | 203.0.113.7, localhost | 400",
                "- | 203.0.113.7, 10.0.0.1, | 203.0.113.7",
                "- | 203.0.113.7, 10.0.0.1, junk, 10.0.0.2 | 400",
                "- | junk, 203.0.113.7, 10.0.0.1 | 203.0.113.7",
                "for=junk | - | 400",
                "for=junk | 203.0.113.7 | 400",
                "for=unknown | - | 127.0.0.1",
                "for=\"_gazonk:_x\" | - | 127.0.0.1",
                "- | 203.0.113.7, 1 | 400",
                "- | 10.0.0.9 | 10.0.0.9",
                "for=203.0.113.7 | - | 203.0.113.7",
                "for=203.0.113.7;proto=https;by=10.0.0.1 | - | 203.0.113.7",
                "for=198.51.100.1, For=\"203.0.113.7:99\" | - | 203.0.113.7",
                "for=\"[2001:db8:1:2::9]:99\" | - | 2001:db8:1:2:0:0:0:0/64",
                "for=203.0.113.7 | 198.51.100.1 | 127.0.0.1",
                "for=203.0.113.7 | 203.0.113.7 | 203.0.113.7",
                "for=203.0.113.7, for=_hidden | - | 127.0.0.1",
                "proto=https | 198.51.100.1 | 127.0.0.1",
                "- | 1.2.3 | 400",
                "- | 0203.0.113.7 | 400",
            })
    void rightMostUntrustedAddressIsClient(
            String forwarded, String xForwardedFor, String expected, Vertx vertx, VertxTestContext test) {
        verify(LOOPBACK_AND_TEN, forwarded, xForwardedFor, expected, vertx, test);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"-,203.0.113.7", "for=203.0.113.7,-"})
    void headersOfUntrustedPeerAreIgnored(String forwarded, String xForwardedFor, Vertx vertx, VertxTestContext test) {
        verify(List.of("10.0.0.0/8"), forwarded, xForwardedFor, "127.0.0.1", vertx, test);
    }

    private static void verify(
            List<String> trusted,
            String forwarded,
            String xForwardedFor,
            String expected,
            Vertx vertx,
            VertxTestContext test) {
        ClientAddress clients = new ClientAddress(trusted);
        HttpClientAgent client = vertx.createHttpClient();
        vertx.createHttpServer()
                .requestHandler(request -> request.response().end(keyOrRefusal(clients, request)))
                .listen(0, "127.0.0.1")
                .compose(server -> client.request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/"))
                .compose(request -> send(request, forwarded, xForwardedFor).compose(response -> response.body()))
                .eventually(client::close)
                .onComplete(test.succeeding(body -> test.verify(() -> {
                    assertThat(body.toString()).isEqualTo(expected);
                    test.completeNow();
                })));
    }

    private static String keyOrRefusal(ClientAddress clients, HttpServerRequest request) {
        try {
            return clients.quotaKey(request);
        } catch (HttpException refused) {
            return Integer.toString(refused.getStatusCode());
        }
    }

    private static io.vertx.core.Future<io.vertx.core.http.HttpClientResponse> send(
            HttpClientRequest request, String forwarded, String xForwardedFor) {
        if (forwarded != null) {
            request.putHeader("Forwarded", forwarded);
        }
        if (xForwardedFor != null) {
            request.putHeader("X-Forwarded-For", xForwardedFor);
        }
        return request.send();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "203.0.113.7, 203.0.113.7",
                "::ffff:203.0.113.7, 203.0.113.7",
                "2001:db8:1:2:3:4:5:6, 2001:db8:1:2:0:0:0:0/64",
                "2001:db8:1:2::1, 2001:db8:1:2:0:0:0:0/64",
                "10.0.0.1, -",
                "::ffff:10.0.0.1, -",
                "::1, -"
            })
    void connectionsOfTrustedProxyHaveNoKey(String peer, String expected) throws Exception {
        assertThat(new ClientAddress(LOOPBACK_AND_TEN).connectionKey(InetAddress.getByName(peer)))
                .isEqualTo(expected);
    }
}
