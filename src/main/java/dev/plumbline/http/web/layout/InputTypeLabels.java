package dev.plumbline.http.web.layout;

import dev.plumbline.check.InputType;

/** What kinds of targets and groups of tools are called. */
public final class InputTypeLabels {
    private InputTypeLabels() {}

    public static String name(InputType input) {
        return switch (input) {
            case DOMAIN -> "Domain";
            case URL -> "URL";
            case IP -> "IP address";
            case HOST -> "Host name or IP address";
            case EMAIL -> "E-mail address";
            case HOST_PORT -> "Host and port";
        };
    }

    /** A category of tools; one that is new is called as it is. */
    public static String category(String id) {
        return switch (id) {
            case "web" -> "Web";
            case "tls" -> "Certificates and TLS";
            case "dns" -> "DNS";
            case "mail" -> "Mail";
            case "registry" -> "Registration";
            case "network" -> "Network";
            default -> id.isEmpty() ? "Others" : Character.toUpperCase(id.charAt(0)) + id.substring(1);
        };
    }
}
