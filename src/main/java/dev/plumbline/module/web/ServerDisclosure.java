package dev.plumbline.module.web;

import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.probe.http.ResponseHeaders;
import java.util.List;
import java.util.regex.Pattern;

/** The headers by which software talks of itself. Pure. */
final class ServerDisclosure {
    private static final int SHOWN_TEXT = 200;
    private static final Pattern VERSION = Pattern.compile("[0-9]");
    private static final List<String> TELLING_HEADERS = List.of(
            "x-powered-by",
            "x-powered-cms",
            "x-cf-powered-by",
            "x-aspnet-version",
            "x-aspnetmvc-version",
            "x-php-version",
            "x-generator",
            "x-redirect-by",
            "x-runtime",
            "x-backend-server",
            "x-mod-pagespeed",
            "x-debug-token",
            "x-debug-token-link",
            "x-sourcemap",
            "sourcemap",
            "x-owa-version",
            "x-varnish-backend",
            "liferay-portal",
            "microsoftsharepointteamservices");

    private ServerDisclosure() {}

    /** Each as {@code name: value}; a Server only where it tells its version. */
    static List<String> in(ResponseHeaders headers) {
        return headers.lines().stream()
                .filter(ServerDisclosure::tells)
                .map(line -> line.name() + ": " + shown(line.value()))
                .toList();
    }

    private static boolean tells(HttpHeader line) {
        return line.name().equals("server")
                ? VERSION.matcher(line.value()).find()
                : TELLING_HEADERS.contains(line.name());
    }

    private static String shown(String text) {
        return text.length() <= SHOWN_TEXT ? text : text.substring(0, SHOWN_TEXT) + "…";
    }
}
