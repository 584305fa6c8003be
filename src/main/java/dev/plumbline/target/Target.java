package dev.plumbline.target;

/**
 * A normalized target. Different spellings of one target are equal and have the same {@link #text()}. Created by
 * {@link TargetParser}.
 */
public sealed interface Target {

    /** The normalized text. It parses to an equal target. */
    String text();

    /** The host; of an e-mail address, its domain. */
    Host host();

    /** The port; 0 if the target has none. */
    default int port() {
        return 0;
    }

    /** A domain name: lower-case A-labels, no trailing dot. */
    record Domain(String name) implements Target {
        @Override
        public String text() {
            return name;
        }

        @Override
        public Host host() {
            return new Host(name, null);
        }
    }

    /**
     * A URL without userinfo and fragment.
     *
     * @param scheme lower-case
     * @param port always set; omitted from the text if it is the default port of the scheme
     * @param pathAndQuery begins with a slash; percent-encoded
     */
    record Url(String scheme, Host host, int port, String pathAndQuery) implements Target {
        /** The value of the Host header: the host, and the port if it is not the default port. */
        public String authority() {
            return port == defaultPort(scheme) ? host.inUrl() : host.inUrl() + ":" + port;
        }

        /** The scheme and the authority, for example {@code https://example.com}. */
        public String origin() {
            return scheme + "://" + authority();
        }

        /** Another URL of the same origin. */
        public Url at(String otherPathAndQuery) {
            return new Url(scheme, host, port, otherPathAndQuery);
        }

        /** Whether the scheme uses TLS. */
        public boolean secure() {
            return scheme.equals("https") || scheme.equals("wss");
        }

        @Override
        public String text() {
            return origin() + pathAndQuery;
        }

        /** The default port of a scheme; 0 for an unknown scheme. */
        public static int defaultPort(String scheme) {
            return switch (scheme) {
                case "http", "ws" -> 80;
                case "https", "wss" -> 443;
                default -> 0;
            };
        }
    }

    /** A domain name or an IP address. */
    record AnyHost(Host host) implements Target {
        @Override
        public String text() {
            return host.name();
        }
    }

    /**
     * A host and a port.
     *
     * @param implied whether the port is the default port of the module, which the text omits
     */
    record HostPort(Host host, int port, boolean implied) implements Target {
        @Override
        public String text() {
            return implied ? host.name() : host.inUrl() + ":" + port;
        }
    }

    /**
     * An e-mail address.
     *
     * @param local the local part as given, which is not necessarily valid ({@link EmailLocalPart}); it can be
     *     case-sensitive
     * @param domain lower-case A-labels
     */
    record Email(String local, String domain) implements Target {
        /** The maximum length of an address (RFC 5321 section 4.5.3.1.3). */
        public static final int MAX_LENGTH = 254;

        @Override
        public String text() {
            return local + "@" + domain;
        }

        @Override
        public Host host() {
            return new Host(domain, null);
        }
    }
}
