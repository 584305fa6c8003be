package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jsoup.Connection;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.FormElement;

/** A browser for tests of sessions: cookies, origin headers and a client address. */
public final class CookieClient {
    private static final AtomicInteger NEXT_ADDRESS = new AtomicInteger();

    private final ServiceUnderTest service;
    private final Map<String, String> cookies = new TreeMap<>();
    private final String origin;
    private String address;

    /** Creates a browser with its own client address, on a page of the service. */
    public CookieClient(ServiceUnderTest service) {
        this(service, service.uri("").toString());
    }

    public CookieClient(ServiceUnderTest service, String origin) {
        this.service = service;
        this.origin = origin;
        int next = NEXT_ADDRESS.incrementAndGet();
        this.address = "198.51." + next / 250 + "." + (1 + next % 250);
    }

    public CookieClient at(CookieClient neighbour) {
        address = neighbour.address;
        return this;
    }

    /** Returns the code of a problem response. */
    public static String code(HttpResponse<String> response) {
        return new JsonObject(response.body()).getString("code");
    }

    public HttpResponse<String> get(String path) {
        return remember(service.get(path, headers().toArray(String[]::new)));
    }

    public HttpResponse<String> send(String method, String path, JsonObject body) {
        return send(method, path, body.encode());
    }

    public HttpResponse<String> send(String method, String path, String body, String... more) {
        List<String> headers = headers();
        headers.addAll(List.of("Origin", origin, "Sec-Fetch-Site", "same-origin"));
        if (!body.isEmpty()) {
            headers.addAll(List.of("Content-Type", "application/json"));
        }
        headers.addAll(List.of(more));
        return remember(service.json(method, path, body, headers.toArray(String[]::new)));
    }

    /** Opens a page. */
    public HttpResponse<String> page(String path) {
        return remember(service.page(path, headers().toArray(String[]::new)));
    }

    /**
     * Submits a form as a page of the service does.
     *
     * @param fields alternating names and values
     */
    public HttpResponse<String> form(String path, String... fields) {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < fields.length; i++) {
            body.append(URLEncoder.encode(fields[i], StandardCharsets.UTF_8)).append(i % 2 == 0 ? '=' : '&');
        }
        return rawForm(path, body.toString());
    }

    /**
     * Submits the form of bulk checks, and submits it again if its preview has to be confirmed.
     *
     * @param fields alternating names and values
     */
    public HttpResponse<String> bulk(String... fields) {
        return confirm(form("/bulk", fields));
    }

    /** Submits the form of a page with a preview of bulk checks. Returns other responses. */
    public HttpResponse<String> confirm(HttpResponse<String> response) {
        Document page = Jsoup.parse(response.body());
        if (response.statusCode() != 200 || page.select("#bulk-confirm").isEmpty()) {
            return response;
        }
        List<String> fields = new ArrayList<>();
        for (Connection.KeyVal field : ((FormElement) page.selectFirst("#bulk")).formData()) {
            fields.addAll(List.of(field.key(), field.value()));
        }
        return form("/bulk", fields.toArray(String[]::new));
    }

    public HttpResponse<String> rawForm(String path, String body) {
        List<String> headers = headers();
        headers.addAll(List.of("Origin", origin, "Sec-Fetch-Site", "same-origin"));
        return remember(service.formAs(path, body, headers.toArray(String[]::new)));
    }

    /** Sends a body of any type to a page. */
    public HttpResponse<String> body(String path, String type, String body) {
        List<String> headers = headers();
        headers.addAll(List.of("Origin", origin, "Content-Type", type));
        return remember(service.pageSent(path, body, headers.toArray(String[]::new)));
    }

    /** Returns this browser on a page of another origin. */
    public CookieClient from(String elsewhere) {
        CookieClient lured = new CookieClient(service, elsewhere);
        lured.cookies.putAll(cookies);
        return lured;
    }

    public String origin() {
        return origin;
    }

    public HttpResponse<String> delete(String path) {
        return send("DELETE", path, "");
    }

    public HttpResponse<String> signIn(String email, String password) {
        return send(
                "POST", "/api/v1/session", new JsonObject().put("email", email).put("password", password));
    }

    /** The headers that identify the origin and the client. */
    public List<String> headers() {
        List<String> headers = new ArrayList<>(List.of("X-Forwarded-For", address));
        if (!cookies.isEmpty()) {
            headers.add("Cookie");
            headers.add(cookie());
        }
        return headers;
    }

    public String cookie() {
        return String.join(
                "; ",
                cookies.entrySet().stream()
                        .map(c -> c.getKey() + "=" + c.getValue())
                        .toList());
    }

    /** The value of the session cookie. */
    public String token() {
        assertThat(cookies).hasSize(1);
        return cookies.values().iterator().next();
    }

    public boolean hasCookies() {
        return !cookies.isEmpty();
    }

    private HttpResponse<String> remember(HttpResponse<String> response) {
        for (String set : response.headers().allValues("Set-Cookie")) {
            String pair = set.substring(0, set.indexOf(';'));
            String name = pair.substring(0, pair.indexOf('='));
            if (set.contains("Max-Age=0;")) {
                cookies.remove(name);
            } else {
                cookies.put(name, pair.substring(name.length() + 1));
            }
        }
        return response;
    }
}
