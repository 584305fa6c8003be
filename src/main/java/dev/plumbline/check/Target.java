package dev.plumbline.check;

/**
 * A normalised target: two spellings of the same thing are equal and have the same {@link #text()}.
 * Made by {@link TargetParser} alone.
 */
public sealed interface Target {

    InputType type();

    /** The normalised spelling, which parses to an equal target. */
    String text();

    /** A domain name: lower-case A-labels, no trailing dot. */
    record Domain(String name) implements Target {
        @Override
        public InputType type() {
            return InputType.DOMAIN;
        }

        @Override
        public String text() {
            return name;
        }
    }

    /**
     * A URL without userinfo and fragment.
     *
     * @param scheme lower-case
     * @param port always set; left out of the text where it is the scheme's own
     * @param pathAndQuery begins with a slash; percent-encoded
     */
    record Url(String scheme, Host host, int port, String pathAndQuery) implements Target {
        @Override
        public InputType type() {
            return InputType.URL;
        }

        /** The host, and the port where it is not the scheme's own: the value of a Host header. */
        public String authority() {
            return port == defaultPort(scheme) ? host.inUrl() : host.inUrl() + ":" + port;
        }

        /** Whether the scheme runs over TLS. */
        public boolean secure() {
            return scheme.equals("https") || scheme.equals("wss");
        }

        @Override
        public String text() {
            return scheme + "://" + authority() + pathAndQuery;
        }

        /** The port that a scheme implies, 0 for an unknown scheme. */
        public static int defaultPort(String scheme) {
            return switch (scheme) {
                case "http", "ws" -> 80;
                case "https", "wss" -> 443;
                default -> 0;
            };
        }
    }

    /** An IP address. */
    record Ip(Host host) implements Target {
        @Override
        public InputType type() {
            return InputType.IP;
        }

        @Override
        public String text() {
            return host.name();
        }
    }

    /** A domain name or an IP address. */
    record AnyHost(Host host) implements Target {
        @Override
        public InputType type() {
            return InputType.HOST;
        }

        @Override
        public String text() {
            return host.name();
        }
    }

    /**
     * A host and a port.
     *
     * @param implied whether the port is the module's own, which the text leaves out
     */
    record HostPort(Host host, int port, boolean implied) implements Target {
        @Override
        public InputType type() {
            return InputType.HOST_PORT;
        }

        @Override
        public String text() {
            return implied ? host.name() : host.inUrl() + ":" + port;
        }
    }

    /**
     * An e-mail address.
     *
     * @param local as it was given: its case may matter
     * @param domain lower-case A-labels
     */
    record Email(String local, String domain) implements Target {
        @Override
        public InputType type() {
            return InputType.EMAIL;
        }

        @Override
        public String text() {
            return local + "@" + domain;
        }
    }
}
