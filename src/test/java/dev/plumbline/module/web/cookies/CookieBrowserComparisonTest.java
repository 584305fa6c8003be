package dev.plumbline.module.web.cookies;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.Cookie;
import com.microsoft.playwright.options.WaitUntilState;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CookiePages;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.result.CheckResult;
import dev.plumbline.support.ChromiumBrowser;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the cookies that the module reports as stored with the cookies of Chromium after the same page. */
@Tag("integration")
class CookieBrowserComparisonTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<Cookies.Evidence> MODULE = SheetModule.load(new Cookies());
    /** The largest difference between the times at which the two responses were received. */
    private static final Duration TOLERANCE = Duration.ofMinutes(1);

    private static final Comparator<StoredCookie> ORDER =
            Comparator.comparing(StoredCookie::attributes).thenComparingLong(StoredCookie::expires);

    private static BrowserContext browser;
    private static Page page;

    @BeforeAll
    static void start() {
        browser = ChromiumBrowser.openLab();
        page = browser.newPage();
    }

    @AfterAll
    static void stop() {
        if (page != null) {
            // Page.close did not return once while the last page was loading
            page.navigate("about:blank");
            browser.close();
        }
    }

    /** @param part the text of the cases that depend on the origin */
    @ParameterizedTest
    @CsvSource({
        "https://www.lab.test, ''",
        "http://www.lab.test, Secure",
        "https://lab.github.io, Domain=",
        "https://127.0.0.1, Domain="
    })
    void storesTheSameCookies(String origin, String part) {
        List<String> cases = CookiePages.cases();
        SoftAssertions all = new SoftAssertions();
        for (int i = 0; i < cases.size(); i++) {
            if (!cases.get(i).contains(part)) {
                continue;
            }
            browser.clearCookies();
            String url = FIXTURE.lab().at(origin, "/cookies/one/" + i);
            page.navigate(url, new Page.NavigateOptions().setWaitUntil(WaitUntilState.COMMIT));
            List<StoredCookie> expected = browser.cookies().stream()
                    .map(CookieBrowserComparisonTest::stored)
                    .sorted(ORDER)
                    .toList();

            CheckResult result = FIXTURE.check(MODULE, url, "");

            assertThat(result.error()).isNull();
            all.assertThat(stored(result))
                    .as("%s %s", origin, cases.get(i))
                    .usingElementComparator(StoredCookie::compareWithTolerance)
                    .isEqualTo(expected);
        }
        all.assertAll();
    }

    @SuppressWarnings("unchecked")
    private static List<StoredCookie> stored(CheckResult result) {
        List<StoredCookie> stored = new ArrayList<>();
        for (Map<String, Object> cookie :
                (List<Map<String, Object>>) result.fields().get("cookies")) {
            if (cookie.get("state").equals("stored")) {
                Instant expires = (Instant) cookie.get("expires");
                stored.add(new StoredCookie(
                        attributes(
                                cookie.get("name"),
                                cookie.get("domain"),
                                cookie.get("path"),
                                cookie.get("secure"),
                                cookie.get("http_only"),
                                // Chromium uses Lax for cookies without SameSite
                                cookie.get("same_site") == null ? "lax" : cookie.get("same_site"),
                                cookie.get("partitioned")),
                        expires == null ? -1 : expires.getEpochSecond()));
            }
        }
        return stored.stream().sorted(ORDER).toList();
    }

    private static StoredCookie stored(Cookie cookie) {
        return new StoredCookie(
                attributes(
                        cookie.name,
                        cookie.domain,
                        cookie.path,
                        cookie.secure,
                        cookie.httpOnly,
                        cookie.sameSite.name().toLowerCase(Locale.ROOT),
                        cookie.partitionKey != null),
                cookie.expires.longValue());
    }

    private static String attributes(
            Object name,
            Object domain,
            Object path,
            Object secure,
            Object httpOnly,
            Object sameSite,
            Object partitioned) {
        return "%s %s %s secure=%s httpOnly=%s %s partitioned=%s"
                .formatted(name, domain, path, secure, httpOnly, sameSite, partitioned);
    }

    /** @param expires seconds since the epoch; -1 for a session cookie */
    private record StoredCookie(String attributes, long expires) {
        /** @return 0 if the cookies are equal, because the two responses were received at different times */
        int compareWithTolerance(StoredCookie other) {
            boolean bothExpire = expires >= 0 && other.expires >= 0;
            boolean close = bothExpire && Math.abs(expires - other.expires) <= TOLERANCE.toSeconds();
            return attributes.equals(other.attributes) && close ? 0 : ORDER.compare(this, other);
        }
    }
}
