package dev.plumbline.http.web.account;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Map.Entry;

/** What a browser says of itself, in two words that its owner knows it by. */
final class UserAgentLabel {
    // the first that is named: those further down are named by those above, too
    private static final Map<String, String> NAMES = new LinkedHashMap<>();
    private static final Map<String, String> SYSTEMS = new LinkedHashMap<>();

    static {
        NAMES.put("Edg", "Edge");
        NAMES.put("OPR/", "Opera");
        NAMES.put("Firefox/", "Firefox");
        NAMES.put("Chrome/", "Chrome");
        NAMES.put("CriOS/", "Chrome");
        NAMES.put("Safari/", "Safari");
        NAMES.put("curl/", "curl");
        SYSTEMS.put("Android", "Android");
        SYSTEMS.put("iPhone", "iPhone");
        SYSTEMS.put("iPad", "iPad");
        SYSTEMS.put("Windows", "Windows");
        SYSTEMS.put("Mac OS X", "macOS");
        SYSTEMS.put("CrOS", "ChromeOS");
        SYSTEMS.put("Linux", "Linux");
    }

    private UserAgentLabel() {}

    static String name(String userAgent) {
        String name = first(NAMES, userAgent);
        String system = first(SYSTEMS, userAgent);
        if (name.isEmpty()) {
            return system.isEmpty() ? "A program" : "A browser on " + system;
        }
        return system.isEmpty() ? name : name + " on " + system;
    }

    private static String first(Map<String, String> marks, String userAgent) {
        return marks.entrySet().stream()
                .filter(mark -> userAgent.contains(mark.getKey()))
                .map(Entry::getValue)
                .findFirst()
                .orElse("");
    }
}
