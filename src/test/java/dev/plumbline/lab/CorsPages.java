package dev.plumbline.lab;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Pages with valid and invalid CORS responses. */
public final class CorsPages {
    private static final String ORIGIN = "access-control-allow-origin: ";
    private static final String CREDENTIALS = "access-control-allow-credentials: true\r\n";
    private static final String JSON = "access-control-allow-headers: Content-Type\r\n";

    private static final String VARY = "vary: Accept-Encoding, Origin\r\n";

    private CorsPages() {}

    /** The allowed origin of pages that allow one. */
    public static String allowedOrigin(HttpLab lab) {
        return lab.at("https://www.lab.test", "");
    }

    /** The names of the pages below {@code /cors/}. */
    public static List<String> names() {
        return List.copyOf(handlers().keySet());
    }

    static List<LabPage> all() {
        List<LabPage> pages = new ArrayList<>();
        handlers()
                .forEach((name, handler) -> pages.add(new LabPage(
                        "/cors/" + name,
                        name.equals("redirect") ? "200 after a redirect without CORS headers" : "200",
                        handler)));
        return pages;
    }

    private static Map<String, Consumer<LabExchange>> handlers() {
        Map<String, Consumer<LabExchange>> pages = new LinkedHashMap<>();
        pages.put("none", c -> respond(c, ""));
        pages.put("any", c -> respond(c, ORIGIN + "*\r\n" + JSON));
        pages.put("any-credentials", c -> respond(c, ORIGIN + "*\r\n" + CREDENTIALS + JSON));
        pages.put("any-headers", c -> respond(c, ORIGIN + "*\r\naccess-control-allow-headers: *\r\n"));
        pages.put("reflect", c -> respond(c, ORIGIN + origin(c) + "\r\n" + JSON));
        pages.put("reflect-credentials", c -> respond(c, ORIGIN + origin(c) + "\r\n" + CREDENTIALS + JSON + VARY));
        pages.put("null", c -> allowing(c, "null".equals(origin(c)), VARY));
        pages.put("null-credentials", c -> allowing(c, "null".equals(origin(c)), CREDENTIALS + VARY));
        pages.put("one", c -> allowing(c, origin(c).equals(allowedOrigin(c.lab())), VARY + JSON));
        pages.put("one-credentials", c -> allowing(c, isAllowed(c), CREDENTIALS + VARY + JSON));
        pages.put("one-without-vary", c -> allowing(c, isAllowed(c), JSON));
        pages.put("one-fixed", c -> respond(c, ORIGIN + allowedOrigin(c.lab()) + "\r\n" + JSON));
        pages.put("prefix", c -> allowing(c, origin(c).startsWith("https://other.test"), CREDENTIALS + VARY));
        pages.put("suffix", c -> allowing(c, origin(c).endsWith("other.test"), VARY));
        pages.put("http", c -> allowing(c, origin(c).equals("http://other.test"), VARY));
        pages.put("two-headers", c -> respond(c, (ORIGIN + allowedOrigin(c.lab()) + "\r\n").repeat(2) + JSON));
        pages.put("list", c -> respond(c, ORIGIN + allowedOrigin(c.lab()) + ", https://b.test\r\n" + JSON));
        pages.put("slash", c -> respond(c, ORIGIN + allowedOrigin(c.lab()) + "/\r\n" + JSON));
        pages.put(
                "upper-case",
                c -> respond(c, ORIGIN + allowedOrigin(c.lab()).toUpperCase(Locale.ROOT) + "\r\n" + JSON));
        pages.put("pattern", c -> respond(c, ORIGIN + "https://*.lab.test\r\n" + JSON));
        pages.put(
                "credentials-upper-case",
                c -> allowing(c, isAllowed(c), "access-control-allow-credentials: True\r\n" + VARY + JSON));
        pages.put("preflight-without-headers", c -> respond(c, ORIGIN + "*\r\n"));
        pages.put("preflight-without-origin", c -> respond(c, isPreflight(c) ? JSON : ORIGIN + "*\r\n"));
        for (int status : new int[] {200, 204, 301, 401, 405, 500}) {
            pages.put(
                    "preflight-" + status,
                    c -> c.respond(
                            isPreflight(c) ? status : 200,
                            ORIGIN + "*\r\n" + JSON + (isPreflight(c) ? "location: /cors/any\r\n" : ""),
                            "content"));
        }
        pages.put("preflight-closed", c -> {
            if (isPreflight(c)) {
                c.close();
            } else {
                respond(c, ORIGIN + "*\r\n");
            }
        });
        pages.put("redirect", c -> c.redirect(302, "/cors/any"));
        return pages;
    }

    private static boolean isPreflight(LabExchange c) {
        return c.method().equals("OPTIONS");
    }

    private static boolean isAllowed(LabExchange c) {
        return origin(c).equals(allowedOrigin(c.lab()));
    }

    private static String origin(LabExchange c) {
        return c.header("origin");
    }

    private static void allowing(LabExchange c, boolean allowed, String headers) {
        respond(c, allowed ? ORIGIN + origin(c) + "\r\n" + headers : headers.contains(VARY) ? VARY : "");
    }

    private static void respond(LabExchange c, String headers) {
        c.respond(200, "content-type: text/plain\r\n" + headers, "content");
    }
}
