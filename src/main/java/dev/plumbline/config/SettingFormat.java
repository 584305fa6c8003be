package dev.plumbline.config;

import dev.plumbline.dnssec.TrustAnchors;
import dev.plumbline.target.Cidr;
import dev.plumbline.target.IpAddressText;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The formats of texts in settings. */
enum SettingFormat {
    API_KEY("an API key created with the command `key generate`", "plk_[0-9A-Za-z]{38}"),
    ASN_ZONE(
            "ipv4=zone or ipv6=zone, such as ipv4=origin.asn.cymru.com",
            v -> v.matches("ipv[46]=.*") && isDomain(v.substring(v.indexOf('=') + 1))),
    BOOLEAN("true or false", "true|false"),
    CIDR("an IP address or a CIDR block, such as 10.0.0.0/8", v -> Cidr.tryParse(v) != null),
    CLUSTER_HOST(
            "an IP address or a hostname at which other nodes can reach this node, such as 10.0.0.3",
            v -> isHost(v) && !isWildcard(v)),
    CONTACT(
            "a URL or an e-mail address of at most 200 ASCII characters without spaces, parentheses and"
                    + " backslashes",
            "[\\x21-\\x7e&&[^()\\\\]]{1,200}"),
    DATABASE_URL("a URL such as postgresql://user:password@host:5432/name", "postgres(ql)?://\\S+"),
    DIRECTORY("the path of a directory", v -> !Path.of(v).toString().isEmpty()),
    DOMAIN("a domain name, such as corp.example", SettingFormat::isDomain),
    DOMAIN_OR_CIDR("a domain name, an IP address or a CIDR block", v -> isDomain(v) || Cidr.tryParse(v) != null),
    EMAIL("an e-mail address", "[^@\\s]+@[^@\\s]+"),
    FILE("the path of a readable file", SettingFormat::isReadableFile),
    HOST("an IP address or a hostname, such as 127.0.0.1 or 0.0.0.0", SettingFormat::isHost),
    HTTP_URL("a URL such as https://checks.example.com", v -> v.isEmpty() || isHttpUrl(v)),
    LOG_FORMAT("text or json", "text|json"),
    LOG_LEVEL("error, warn, info or debug", "error|warn|info|debug"),
    NAMED_SOCKET_ADDRESS(
            "name=address:port with a name of lowercase letters, digits and hyphens other than"
                    + " \"default\", such as public=192.0.2.53:53",
            SettingFormat::isNamedSocketAddress),
    NUMBER("an integer or a duration", value -> true),
    ORIGIN(
            "an origin such as https://app.example.com, or *",
            "\\*|https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\\[[0-9a-f:]+\\](:[0-9]{1,5})?"),
    OTLP_URL("an http or https URL such as http://127.0.0.1:4318/v1/traces", SettingFormat::isHttpUrl),
    PASSWORD("at least 12 characters", "(?s).{12,}"),
    PLAN("free or pro", "free|pro"),
    PORTS("a port from 1 to 65535, a range such as 8000-8100, or *", SettingFormat::isPortRange),
    RATIO("a decimal number from 0 to 1, such as 0.01", "0(\\.[0-9]{1,9})?|1(\\.0{1,9})?"),
    REQUEST_HEADER(
            "name=value with the name and the value of an HTTP header, such as api-key=SECRET",
            "[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}=[\\x20-\\x7e]{1,4096}"),
    ROLE("http, run or coordinate", "http|run|coordinate"),
    SECRET("at least 32 characters, such as the output of `openssl rand -base64 48`", "(?s).{32,}"),
    SIGN_UP("open or closed", "open|closed"),
    SOCKET_ADDRESS("an IP address and a port, such as 127.0.0.1:53", SettingFormat::isSocketAddress),
    TRUST_ANCHOR("a DS or DNSKEY record of a zone, such as . IN DS 20326 8 2 E06D44B8…", TrustAnchors::isValid),
    URL_OR_FILE(
            "an http or https URL, or the path of a readable file",
            v -> v.matches("https?://[^\\s/]+(/\\S*)?") || isReadableFile(v)),
    WHOIS_SERVER(
            "a host or host:port, such as whois.iana.org",
            "[A-Za-z0-9.-]+(:[0-9]{1,5})?|\\[[0-9A-Fa-f:]+\\](:[0-9]{1,5})?");

    private static final Pattern DOMAIN_NAME =
            Pattern.compile("\\.?(?=.{1,253}$)[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+)*\\.?");
    private static final Pattern PORT_RANGE = Pattern.compile("([0-9]{1,5})(?:-([0-9]{1,5}))?");

    /** A noun phrase that completes "Set …". */
    final String expected;

    private final Predicate<String> valid;

    SettingFormat(String expected, String regex) {
        this(expected, value -> value.matches(regex));
    }

    SettingFormat(String expected, Predicate<String> valid) {
        this.expected = expected;
        this.valid = valid;
    }

    boolean matches(String value) {
        try {
            return valid.test(value);
        } catch (InvalidPathException invalid) {
            return false;
        }
    }

    /** Whether a value may contain a secret, so that no message may repeat it. */
    boolean isSecret() {
        return this == API_KEY || this == DATABASE_URL || this == PASSWORD || this == REQUEST_HEADER || this == SECRET;
    }

    private static boolean isDomain(String value) {
        return DOMAIN_NAME.matcher(value).matches();
    }

    private static boolean isHost(String value) {
        return IpAddressText.parse(value) != null || isDomain(value);
    }

    private static boolean isWildcard(String value) {
        InetAddress address = IpAddressText.parse(value);
        return address != null && address.isAnyLocalAddress();
    }

    private static boolean isReadableFile(String value) {
        Path path = Path.of(value);
        return Files.isReadable(path) && !Files.isDirectory(path);
    }

    private static boolean isHttpUrl(String value) {
        try {
            URI url = new URI(value);
            return url.getHost() != null
                    && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
                    && url.getRawQuery() == null
                    && url.getRawFragment() == null
                    && url.getRawUserInfo() == null;
        } catch (URISyntaxException invalid) {
            return false;
        }
    }

    private static boolean isPortRange(String value) {
        Matcher range = PORT_RANGE.matcher(value);
        if (!range.matches()) {
            return value.equals("*");
        }
        int first = Integer.parseInt(range.group(1));
        int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
        return first >= 1 && first <= last && last <= 65_535;
    }

    private static boolean isSocketAddress(String value) {
        int colon = value.lastIndexOf(':');
        return colon >= 0
                && value.substring(colon + 1).matches("[0-9]+")
                && isPortRange(value.substring(colon + 1))
                && IpAddressText.parse(value.substring(0, colon).replaceAll("[\\[\\]]", "")) != null;
    }

    private static boolean isNamedSocketAddress(String value) {
        String name = value.substring(0, Math.max(0, value.indexOf('=')));
        return name.matches("[a-z0-9][a-z0-9-]{0,31}")
                && !name.equals("default")
                && isSocketAddress(value.substring(name.length() + 1));
    }
}
