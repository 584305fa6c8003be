package dev.plumbline.module.web;

import dev.plumbline.probe.http.ResponseHeaders;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Guesses, from how well-known products look, at what an answer really means. Pure. */
final class PageHeuristics {
    private static final int SHORT_PAGE = 20_000;
    private static final Pattern TITLE = Pattern.compile("<title[^>]{0,200}>([^<]{0,300})", Pattern.CASE_INSENSITIVE);
    private static final Pattern NOT_FOUND = Pattern.compile(
            "\\b404\\b|not found|page (?:does ?n[o']t|no longer) exist|nicht gefunden|introuvable"
                    + "|no encontrad[ao]|non trovata|não encontrada|niet gevonden|не найден",
            Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
    private static final Pattern ERROR_PATH =
            Pattern.compile("/(?:404|error-?404|not-?found|page-?not-?found)(?:[./?].*)?", Pattern.CASE_INSENSITIVE);

    /** Headers that only a bot protection sends when it answers itself. */
    private static final List<String> BLOCKER_HEADERS =
            List.of("x-datadome", "x-sucuri-block", "x-amzn-waf-action", "x-px-block", "x-kpsdk-ct");

    private static final List<String> BLOCKER_SERVERS =
            List.of("cloudflare", "akamaighost", "sucuri", "ddos-guard", "imperva", "datadome", "qrator");

    private static final List<String> BLOCKER_TEXTS = List.of(
            "just a moment...",
            "attention required! | cloudflare",
            "/cdn-cgi/challenge-platform/",
            "cf-browser-verification",
            "_incapsula_resource",
            "request unsuccessful. incapsula",
            "px-captcha",
            "geo.captcha-delivery.com",
            "pardon our interruption",
            "please verify you are a human",
            "verify you are human",
            "ddos protection by",
            "access denied</title>",
            "errors.edgesuite.net");

    private PageHeuristics() {}

    /**
     * Whether a bot protection seems to have answered instead of the site.
     *
     * @param page null when it was not read
     */
    static boolean blocked(int status, ResponseHeaders headers, @Nullable String page) {
        if ("challenge".equalsIgnoreCase(headers.first("cf-mitigated"))
                || BLOCKER_HEADERS.stream().anyMatch(headers::has) && status >= 400) {
            return true;
        }
        boolean refusal = status == 401 || status == 403 || status == 429 || status == 503;
        if (!refusal && (status != 200 && status != 202)) {
            return false;
        }
        String text = page == null
                ? ""
                : page.substring(0, Math.min(page.length(), SHORT_PAGE)).toLowerCase(Locale.ROOT);
        boolean saysSo = BLOCKER_TEXTS.stream().anyMatch(text::contains);
        if (!refusal) {
            return saysSo && text.length() < SHORT_PAGE && text.contains("captcha");
        }
        String server = String.valueOf(headers.first("server")).toLowerCase(Locale.ROOT);
        boolean guarded = BLOCKER_SERVERS.stream().anyMatch(server::contains);
        return saysSo || (guarded && status != 401);
    }

    /**
     * Whether the page seems to say that it was not found although the status is a success.
     *
     * @param redirected whether a redirect led to it
     * @param page null when it was not read
     */
    static boolean notFoundInDisguise(int status, String path, boolean redirected, @Nullable String page) {
        if (status / 100 != 2) {
            return false;
        }
        if (redirected && ERROR_PATH.matcher(path).matches()) {
            return true;
        }
        if (page == null) {
            return false;
        }
        Matcher title = TITLE.matcher(page);
        return title.find() && NOT_FOUND.matcher(title.group(1)).find();
    }
}
