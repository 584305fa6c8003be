package dev.plumbline.probe.http;

import dev.plumbline.check.Target;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request that is to be made.
 *
 * @param headers sent besides Host, User-Agent, Accept, Accept-Encoding and Connection; one of the
 *     same name replaces ours
 * @param maxBodyBytes reading stops there; 0 to stop after the head
 * @param verifyTls whether a certificate that a browser would refuse ends the exchange before the
 *     request is sent
 * @param http2 whether HTTP/2 is offered by ALPN
 * @param redirectBodies whether the body of a redirect is read, too
 * @param body what a POST sends, over HTTP/1.1; null for other methods
 */
public record HttpRequestSpec(
        Method method,
        Target.Url url,
        List<HttpHeader> headers,
        int maxBodyBytes,
        boolean verifyTls,
        boolean http2,
        boolean redirectBodies,
        @Nullable Buffer body) {

    private static final Pattern TOKEN = Pattern.compile("[a-z0-9!#$%&'*+.^_`|~-]{1,100}");
    private static final Pattern VISIBLE = Pattern.compile("[\\x20-\\x7e]{0,8192}");

    /** What may be asked: nothing that changes anything at the target. */
    public enum Method {
        HEAD,
        GET,
        /** Only for protocols that merely ask by POST, as OCSP does. */
        POST
    }

    public HttpRequestSpec {
        headers = List.copyOf(headers);
        if ((method == Method.POST) != (body != null) || body != null && http2) {
            throw new IllegalArgumentException("a body goes with a POST over HTTP/1.1, and only there");
        }
        for (HttpHeader header : headers) {
            if (!TOKEN.matcher(header.name()).matches()
                    || !VISIBLE.matcher(header.value()).matches()) {
                throw new IllegalArgumentException("not a header that may be sent: " + header.name());
            }
        }
    }

    public static HttpRequestSpec head(Target.Url url) {
        return new HttpRequestSpec(Method.HEAD, url, List.of(), 0, true, true, true, null);
    }

    /**
     * @param maxBodyBytes reading stops there
     */
    public static HttpRequestSpec get(Target.Url url, int maxBodyBytes) {
        return new HttpRequestSpec(Method.GET, url, List.of(), maxBodyBytes, true, true, true, null);
    }

    /**
     * @param maxBodyBytes reading of the answer stops there
     */
    public static HttpRequestSpec post(Target.Url url, String contentType, Buffer body, int maxBodyBytes) {
        List<HttpHeader> headers = List.of(new HttpHeader("content-type", contentType));
        return new HttpRequestSpec(Method.POST, url, headers, maxBodyBytes, true, false, true, body);
    }

    /** The same call with one more header. */
    public HttpRequestSpec with(String name, String value) {
        List<HttpHeader> more = new ArrayList<>(headers);
        more.add(new HttpHeader(name.toLowerCase(Locale.ROOT), value));
        return new HttpRequestSpec(method, url, more, maxBodyBytes, verifyTls, http2, redirectBodies, body);
    }

    /** The same call, which puts up with any certificate when {@code verify} is false. */
    public HttpRequestSpec verifyingTls(boolean verify) {
        return new HttpRequestSpec(method, url, headers, maxBodyBytes, verify, http2, redirectBodies, body);
    }

    /** The same call over HTTP/1.1 only. */
    public HttpRequestSpec overHttp1() {
        return new HttpRequestSpec(method, url, headers, maxBodyBytes, verifyTls, false, redirectBodies, body);
    }

    /** The same call, which is over as soon as a redirect says where it leads. */
    public HttpRequestSpec withoutRedirectBodies() {
        return new HttpRequestSpec(method, url, headers, maxBodyBytes, verifyTls, http2, false, body);
    }

    /** The same call to another URL. */
    public HttpRequestSpec to(Target.Url other) {
        return new HttpRequestSpec(method, other, headers, maxBodyBytes, verifyTls, http2, redirectBodies, body);
    }
}
