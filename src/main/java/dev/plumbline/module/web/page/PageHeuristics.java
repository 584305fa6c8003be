package dev.plumbline.module.web.page;

import com.google.common.base.Strings;
import dev.plumbline.probe.http.ResponseHeaders;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Recognizes block pages of common bot protection services, and soft 404 errors. */
public final class PageHeuristics {
    private static final int MAX_CHARACTERS = 20_000;
    private static final Pattern TITLE = Pattern.compile("<title[^>]{0,200}>([^<]{0,300})", Pattern.CASE_INSENSITIVE);
    private static final Pattern NOT_FOUND = Pattern.compile(
            "\\b404\\b|not found|page (?:does ?n[o']t|no longer) exist|nicht gefunden|introuvable"
                    + "|no encontrad[ao]|non trovata|não encontrada|niet gevonden|не найден",
            Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
    private static final Pattern ERROR_PATH =
            Pattern.compile("/(?:404|error-?404|not-?found|page-?not-?found)(?:[./?].*)?", Pattern.CASE_INSENSITIVE);

    /** Headers of responses that come from a bot protection service. */
    private static final List<String> BLOCK_HEADERS =
            List.of("x-datadome", "x-sucuri-block", "x-amzn-waf-action", "x-px-block", "x-kpsdk-ct");

    private static final Pattern BLOCK_SERVER =
            Pattern.compile("cloudflare|akamaighost|sucuri|ddos-guard|imperva|datadome|qrator");

    private static final Pattern BLOCK_TEXT =
            Pattern.compile("just a moment\\.\\.\\.|attention required! \\| cloudflare|/cdn-cgi/challenge-platform/"
                    + "|cf-browser-verification|_incapsula_resource|request unsuccessful\\. incapsula|px-captcha"
                    + "|geo\\.captcha-delivery\\.com"
                    + "|pardon our interruption|please verify you are a human|verify you are human"
                    + "|ddos protection by|access denied</title>|errors\\.edgesuite\\.net");

    private PageHeuristics() {}

    /** @param page null if the content was not read */
    public static boolean looksBlocked(int status, ResponseHeaders headers, @Nullable String page) {
        if ("challenge".equalsIgnoreCase(headers.first("cf-mitigated"))
                || status >= 400 && BLOCK_HEADERS.stream().anyMatch(headers::has)) {
            return true;
        }
        String text = page == null
                ? ""
                : page.substring(0, Math.min(page.length(), MAX_CHARACTERS)).toLowerCase(Locale.ROOT);
        boolean blockText = BLOCK_TEXT.matcher(text).find();
        String server = Strings.nullToEmpty(headers.first("server")).toLowerCase(Locale.ROOT);
        return switch (status) {
            case 401 -> blockText;
            case 403, 429, 503 -> blockText || BLOCK_SERVER.matcher(server).find();
            case 200, 202 -> blockText && text.length() < MAX_CHARACTERS && text.contains("captcha");
            default -> false;
        };
    }

    /**
     * @param redirected whether a redirect leads to the page
     * @param page null if the content was not read
     */
    public static boolean looksLikeSoft404(int status, String path, boolean redirected, @Nullable String page) {
        if (status / 100 != 2) {
            return false;
        }
        Matcher title = TITLE.matcher(page == null ? "" : page);
        return redirected && ERROR_PATH.matcher(path).matches()
                || title.find() && NOT_FOUND.matcher(title.group(1)).find();
    }
}
