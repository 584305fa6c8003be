package dev.plumbline.http.web.layout;

import dev.plumbline.target.InputType;
import org.jspecify.annotations.Nullable;

/** Names of input types, categories, verdicts and levels for display. */
public final class Labels {
    private Labels() {}

    public static String inputType(InputType input) {
        return switch (input) {
            case DOMAIN -> "Domain";
            case URL -> "URL";
            case IP -> "IP address";
            case HOST -> "Hostname or IP address";
            case EMAIL -> "E-mail address";
            case HOST_PORT -> "Host and port";
        };
    }

    /** An unknown category is displayed with an initial capital. */
    public static String category(String id) {
        return switch (id) {
            case "web" -> "Website";
            case "tls" -> "TLS";
            case "dns" -> "DNS";
            case "mail" -> "Mail";
            case "registry" -> "Registration";
            case "network" -> "Network";
            default -> id.isEmpty() ? "Other" : Character.toUpperCase(id.charAt(0)) + id.substring(1);
        };
    }

    public static String level(String id) {
        return id.equals("info") ? "Info" : verdict(id);
    }

    public static String verdict(String id) {
        return switch (id) {
            case "pass" -> "Pass";
            case "warn" -> "Warning";
            case "fail" -> "Fail";
            default -> "Error";
        };
    }

    /**
     * The verdict whose color a grade has.
     *
     * @param grade null if it was not determined
     */
    public static String gradeTone(@Nullable String grade) {
        if (grade == null || grade.isEmpty()) {
            return "error";
        }
        return switch (grade.charAt(0)) {
            case 'A' -> "pass";
            case 'B', 'C' -> "warn";
            default -> "fail";
        };
    }
}
