package dev.plumbline.http.web.layout;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where to go on to after signing in: a page of ours, whatever somebody has put into a link. */
public final class LocalPath {
    /** Browsers take {@code //} and {@code /\} for the beginning of another host. */
    private static final Pattern SAFE = Pattern.compile("/(?![/\\\\])[!-~&&[^\\\\]]{0,2000}");

    /** A step up could leave what a reverse proxy shows of us. */
    private static final Pattern STEP_UP = Pattern.compile("(?i).*/(\\.|%2e){2}([/?#].*)?");

    private LocalPath() {}

    /**
     * The path if it is one of ours, the other one if not.
     *
     * @param given whatever was given
     */
    public static String or(String otherwise, @Nullable String given) {
        return given != null
                        && SAFE.matcher(given).matches()
                        && !STEP_UP.matcher(given).matches()
                        && !given.startsWith("/sign-")
                ? given
                : otherwise;
    }

    /** Where to sign in, to be led back to a page. */
    public static String signIn(String path) {
        return "/sign-in?next=" + Links.encoded(path);
    }
}
