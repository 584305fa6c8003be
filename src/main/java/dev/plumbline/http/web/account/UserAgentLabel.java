package dev.plumbline.http.web.account;

import java.util.List;

/** A short name of a browser and its operating system, from the {@code User-Agent} header. */
final class UserAgentLabel {
    /** Products and their names, in order of precedence: most headers contain several. */
    private static final List<List<String>> BROWSERS = List.of(
            List.of("Edg", "Edge"),
            List.of("OPR/", "Opera"),
            List.of("Firefox/", "Firefox"),
            List.of("Chrome/", "Chrome"),
            List.of("CriOS/", "Chrome"),
            List.of("Safari/", "Safari"),
            List.of("curl/", "curl"));

    private static final List<List<String>> SYSTEMS = List.of(
            List.of("Android", "Android"),
            List.of("iPhone", "iPhone"),
            List.of("iPad", "iPad"),
            List.of("Windows", "Windows"),
            List.of("Mac OS X", "macOS"),
            List.of("CrOS", "ChromeOS"),
            List.of("Linux", "Linux"));

    private UserAgentLabel() {}

    static String of(String userAgent) {
        String browser = first(BROWSERS, userAgent);
        String system = first(SYSTEMS, userAgent);
        if (browser.isEmpty()) {
            return system.isEmpty() ? "Unknown client" : "Browser on " + system;
        }
        return system.isEmpty() ? browser : browser + " on " + system;
    }

    private static String first(List<List<String>> names, String userAgent) {
        return names.stream()
                .filter(name -> userAgent.contains(name.get(0)))
                .map(name -> name.get(1))
                .findFirst()
                .orElse("");
    }
}
