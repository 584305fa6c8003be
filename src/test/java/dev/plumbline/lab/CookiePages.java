package dev.plumbline.lab;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Pages that set cookies of every kind. */
public final class CookiePages {
    private static final String HTML = "content-type: text/html; charset=utf-8\r\n";
    private static final String LONG = "x".repeat(4_090);

    private CookiePages() {}

    /** Set-Cookie headers for {@code https://www.lab.test/cookies/one/…}; several of one page are separated by LF. */
    public static List<String> cases() {
        return List.of(
                // RFC 6265 section 3.1 and 5.3
                "SID=31d4d96e407aad42",
                "SID=31d4d96e407aad42; Path=/; Domain=lab.test",
                "SID=31d4d96e407aad42; Path=/; Secure; HttpOnly\nlang=en-US; Path=/; Domain=lab.test",
                "lang=en-US; Expires=Wed, 09 Jun 2060 10:18:14 GMT",
                "lang=; Expires=Sun, 06 Nov 1994 08:49:37 GMT",
                "lang=a; Path=/\nlang=b; Path=/\nlang=c; Path=/cookies",
                "lang=a; Path=/\nlang=; Path=/; Max-Age=0",
                // syntax
                "a",
                "=a",
                "a=",
                "=",
                "",
                ";",
                "; Secure",
                "  a \t= \tb \t; Path=/ ",
                "a=b=c==",
                "a=\"b; c\"",
                "a=\"b\"",
                "a=b,c=d; Path=/",
                "a b=c d",
                "a=caf\u00c3\u00a9",
                "a=\tb",
                "a=b\tc",
                "a=b\u0001c",
                "a\u007f=b",
                "a=b; Path=/\u0001",
                "a=b; x=\u007f",
                "a=" + LONG + "12345",
                "a=" + LONG + "123456",
                "a" + LONG + "=12345",
                "a=" + LONG + "; Path=/",
                // attributes
                "a=b; SECURE; HTTPONLY; PATH=/; SAMESITE=STRICT",
                "a=b; Secure=false; HttpOnly=no",
                "a=b; Path=cookies",
                "a=b; Path=",
                "a=b; Path",
                "a=b; Path=/other",
                "a=b; Path=/x; Path=/y",
                "a=b; Path=/" + "p".repeat(1_023),
                "a=b; Path=/" + "p".repeat(1_024),
                "a=b; Domain=.lab.test",
                "a=b; Domain=LAB.TEST",
                "a=b; Domain=www.lab.test",
                "a=b; Domain=",
                "a=b; Domain",
                "a=b; Domain=test",
                "a=b; Domain=other.test",
                "a=b; Domain=sub.www.lab.test",
                "a=b; Domain=ab.test",
                "a=b; Domain=lab.test.",
                "a=b; Domain=..lab.test",
                "a=b; Domain=b\u00fccher.test",
                "a=b; Domain=other.test; Domain=lab.test",
                "a=b; Domain=lab.test; Domain=other.test",
                "a=b; Domain=lab.test; Domain=",
                "a=b; Domain=lab.test:443",
                "a=b; Domain=github.io",
                "a=b; Domain=lab.github.io",
                "a=b; Domain=127.0.0.1",
                "a=b; Domain=0.0.1",
                "a=b; SameSite=Lax",
                "a=b; SameSite=None",
                "a=b; SameSite=None; Secure",
                "a=b; SameSite=Relaxed",
                "a=b; SameSite=",
                "a=b; SameSite=Strict; SameSite=Lax",
                "a=b; Secure; Partitioned",
                "a=b; Partitioned",
                "a=b; Secure\na=c; Secure; Partitioned",
                // lifetime
                "a=b; Max-Age=3600",
                "a=b; Max-Age=0",
                "a=b; Max-Age=-1",
                "a=b; Max-Age=5x",
                "a=b; Max-Age=",
                "a=b; Max-Age=99999999999999999999",
                "a=b; Max-Age=3600; Expires=Sun, 06 Nov 1994 08:49:37 GMT",
                "a=b; Max-Age=0; Expires=Wed, 09 Jun 2060 10:18:14 GMT",
                "a=b; Max-Age=x; Expires=Wed, 09 Jun 2060 10:18:14 GMT",
                "a=b; Max-Age=0; Max-Age=3600",
                "a=b; Expires=tomorrow",
                "a=b; Expires=",
                "a=b; Expires=Thu, 31-Dec-37 23:59:59 GMT",
                "a=b; Expires=Thu, 31-Dec-70 23:59:59 GMT",
                "a=b; Expires=1 Jan 2060 00:00:00",
                "a=b; Expires=Jan 1 00:00:00 2060",
                "a=b; Expires=2060-01-01T00:00:00Z",
                "a=b; Expires=Fri, 31 Feb 2060 00:00:00 GMT",
                "a=b; Expires=Fri, 1 Jan 2060 24:00:00 GMT",
                // prefixes
                "__Secure-a=b; Secure",
                "__Secure-a=b",
                "__secure-a=b",
                "__SeCuRe-a=b; Secure; Domain=lab.test",
                "__Host-a=b; Secure; Path=/",
                "__Host-a=b; Secure",
                "__Host-a=b; Path=/",
                "__Host-a=b; Secure; Path=/; Domain=www.lab.test",
                "__Host-a=b; Secure; Path=/cookies",
                "__host-a=b; Secure; Path=/",
                "__HOST-a=b; Path=/",
                "__Http-a=b; Secure; HttpOnly",
                "__Http-a=b; Secure",
                "__Host-Http-a=b; Secure; HttpOnly; Path=/",
                "__Host-Http-a=b; Secure; Path=/",
                "__Host-Http-a=b; Secure; HttpOnly; Path=/; Domain=lab.test",
                "=__Secure-a=b; Secure",
                "=__Host-a=b; Secure; Path=/",
                "__Host-",
                "__Host-=a; Secure; Path=/",
                "_Host-a=b",
                "__Hosta=b");
    }

    static List<LabPage> all() {
        List<LabPage> pages = new ArrayList<>(List.of(
                new LabPage("/cookies/none", "200; no cookies", c -> c.respond(200, HTML, "<p>no cookies")),
                new LabPage(
                        "/cookies/good",
                        "200; cookies reports nothing over https",
                        c -> c.respond(
                                200,
                                HTML + "set-cookie: __Host-session=1; Secure; HttpOnly; SameSite=Lax; Path=/\r\n",
                                "<p>one cookie")),
                new LabPage(
                        "/cookies/weak",
                        "200; a session cookie without attributes",
                        c -> c.respond(200, HTML + "set-cookie: PHPSESSID=1; path=/\r\n", "<p>one cookie")),
                new LabPage(
                        "/cookies/900", "200; 900 cookies", c -> c.respond(200, HTML + numbered(900), "<p>cookies")),
                new LabPage(
                        "/cookies/10000",
                        "response_too_large",
                        c -> c.respond(200, HTML + numbered(10_000), "<p>cookies")),
                new LabPage(
                        "/cookies/redirect",
                        "200; the redirect sets a cookie",
                        c -> c.respond(302, "location: /cookies/weak\r\nset-cookie: first=1; Path=/\r\n", "")),
                new LabPage(
                        "/cookies/required",
                        "redirect_loop",
                        c -> c.respond(302, "location: /cookies/required\r\nset-cookie: consent=1; Path=/\r\n", ""))));
        List<String> cases = cases();
        for (int i = 0; i < cases.size(); i++) {
            String lines = Arrays.stream(cases.get(i).split("\n", -1))
                    .map(line -> "set-cookie: " + line + "\r\n")
                    .collect(Collectors.joining());
            pages.add(new LabPage("/cookies/one/" + i, "200", c -> c.respond(200, HTML + lines, "<p>cookies")));
        }
        return pages;
    }

    private static String numbered(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "set-cookie: c" + i + "=1; Secure; HttpOnly; SameSite=Lax\r\n")
                .collect(Collectors.joining());
    }
}
