package dev.plumbline.probe.http;

import dev.plumbline.target.Target;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request to send.
 *
 * @param headers additional headers; a header with the name of a default header (User-Agent, Accept, Accept-Encoding)
 *     replaces it
 * @param maxBodyBytes the maximum number of bytes read of the body; 0 to stop after the header
 * @param verifyTls whether an untrusted certificate ends the exchange before the request is sent
 * @param alpn the protocols to offer by ALPN over TLS; without TLS the request is sent over HTTP/1.1
 * @param redirectBodies whether to read the body of a redirect; false if no body is read
 * @param body the body of a POST request over HTTP/1.1; null for other methods
 */
public record HttpRequestSpec(
        Method method,
        Target.Url url,
        List<HttpHeader> headers,
        int maxBodyBytes,
        boolean verifyTls,
        Alpn alpn,
        boolean redirectBodies,
        @Nullable Buffer body) {

    private static final String UPGRADE = "upgrade";
    private static final Pattern TOKEN = Pattern.compile("[a-z0-9!#$%&'*+.^_`|~-]{1,100}");
    private static final Pattern VISIBLE = Pattern.compile("[\\x20-\\x7e]{0,8192}");

    /** The methods: none changes anything at the target. */
    public enum Method {
        HEAD,
        GET,
        /** For CORS preflight requests. */
        OPTIONS,
        /** For protocols that query by POST, such as OCSP. */
        POST
    }

    /** The protocols to offer by ALPN (RFC 7301). */
    public enum Alpn {
        HTTP2_AND_HTTP1,
        HTTP1,
        /** A server that does not select HTTP/2 ends the exchange with {@code tls_handshake_failed}. */
        HTTP2
    }

    public HttpRequestSpec {
        headers = List.copyOf(headers);
        redirectBodies = redirectBodies && maxBodyBytes > 0;
        if ((method == Method.POST) != (body != null) || body != null && alpn != Alpn.HTTP1) {
            throw new IllegalArgumentException("a request body requires POST over HTTP/1.1");
        }
        for (HttpHeader header : headers) {
            if (!TOKEN.matcher(header.name()).matches()
                    || !VISIBLE.matcher(header.value()).matches()) {
                throw new IllegalArgumentException("header is not allowed: " + header.name());
            }
        }
    }

    public static HttpRequestSpec head(Target.Url url) {
        return new HttpRequestSpec(Method.HEAD, url, List.of(), 0, true, Alpn.HTTP2_AND_HTTP1, true, null);
    }

    public static HttpRequestSpec get(Target.Url url, int maxBodyBytes) {
        return new HttpRequestSpec(Method.GET, url, List.of(), maxBodyBytes, true, Alpn.HTTP2_AND_HTTP1, true, null);
    }

    public static HttpRequestSpec options(Target.Url url) {
        return new HttpRequestSpec(Method.OPTIONS, url, List.of(), 0, true, Alpn.HTTP2_AND_HTTP1, true, null);
    }

    public static HttpRequestSpec post(Target.Url url, String contentType, Buffer body, int maxBodyBytes) {
        List<HttpHeader> headers = List.of(new HttpHeader("content-type", contentType));
        return new HttpRequestSpec(Method.POST, url, headers, maxBodyBytes, true, Alpn.HTTP1, true, body);
    }

    /**
     * The opening handshake of a WebSocket (RFC 6455 section 4.1). A server that accepts it returns status 101; the
     * connection is then closed with a Close frame.
     *
     * @param key 16 random bytes in Base64
     */
    public static HttpRequestSpec webSocket(Target.Url url, String key) {
        List<HttpHeader> headers = List.of(
                new HttpHeader(UPGRADE, "websocket"),
                new HttpHeader("sec-websocket-version", "13"),
                new HttpHeader("sec-websocket-key", key));
        return new HttpRequestSpec(Method.GET, url, headers, 0, true, Alpn.HTTP1, true, null);
    }

    /** Whether the request permits the server to switch to another protocol (RFC 9110 section 7.8). */
    boolean upgrade() {
        return has(UPGRADE);
    }

    boolean has(String name) {
        return headers.stream().anyMatch(header -> header.name().equals(name));
    }

    public HttpRequestSpec with(String name, String value) {
        List<HttpHeader> more = new ArrayList<>(headers);
        more.add(new HttpHeader(name.toLowerCase(Locale.ROOT), value));
        return new HttpRequestSpec(method, url, more, maxBodyBytes, verifyTls, alpn, redirectBodies, body);
    }

    /** Returns this request with or without verification of the certificate. */
    public HttpRequestSpec verifyingTls(boolean verify) {
        return new HttpRequestSpec(method, url, headers, maxBodyBytes, verify, alpn, redirectBodies, body);
    }

    public HttpRequestSpec offering(Alpn offered) {
        return new HttpRequestSpec(method, url, headers, maxBodyBytes, verifyTls, offered, redirectBodies, body);
    }

    /** Returns this request without reading the bodies of redirects. */
    public HttpRequestSpec withoutRedirectBodies() {
        return new HttpRequestSpec(method, url, headers, maxBodyBytes, verifyTls, alpn, false, body);
    }

    public HttpRequestSpec to(Target.Url other) {
        return new HttpRequestSpec(method, other, headers, maxBodyBytes, verifyTls, alpn, redirectBodies, body);
    }
}
