package dev.plumbline.probe.registry;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.CheckContext;
import dev.plumbline.config.Config;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Finds the RDAP server of a domain, an address or an AS number by the IANA bootstrap registries (RFC 9224). */
public final class RdapBootstrap {
    private static final int MAX_NAMES = 50_000;
    private static final String DNS_FILE = "dns.json";

    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final BootstrapRegistry<Map<String, String>> domains;
    private final BootstrapRegistry<RdapRanges> ipv4;
    private final BootstrapRegistry<RdapRanges> ipv6;
    private final BootstrapRegistry<RdapRanges> asNumbers;

    /**
     * @param settings the registry of domains: a URL, a file, or null for the snapshot. The registries of addresses and
     *     AS numbers are in the same folder
     * @throws IOException if a file cannot be read
     * @throws IllegalArgumentException if a file is not a bootstrap registry; the message of both is a clause that
     *     names the file
     */
    public RdapBootstrap(Vertx vertx, HttpProbe http, Config.RegistrySettings settings) throws IOException {
        this(vertx, http, settings.rdapBootstrap(), System::nanoTime);
    }

    RdapBootstrap(Vertx vertx, HttpProbe http, @Nullable String source, LongSupplier nanoClock) throws IOException {
        domains = new BootstrapRegistry<>(vertx, http, source, DNS_FILE, RdapBootstrap::parse, nanoClock);
        ipv4 = ranges(vertx, http, source, "ipv4.json", nanoClock);
        ipv6 = ranges(vertx, http, source, "ipv6.json", nanoClock);
        asNumbers = ranges(vertx, http, source, "asn.json", nanoClock);
    }

    private static BootstrapRegistry<RdapRanges> ranges(
            Vertx vertx, HttpProbe http, @Nullable String source, String file, LongSupplier nanoClock)
            throws IOException {
        return new BootstrapRegistry<>(
                vertx, http, sibling(source, file), file, bytes -> RdapRanges.of(parse(bytes)), nanoClock);
    }

    /** The file next to {@code dns.json}; null if the source has another name or the file does not exist. */
    private static @Nullable String sibling(@Nullable String source, String file) {
        if (source == null || !source.endsWith(DNS_FILE)) {
            return null;
        }
        String sibling = source.substring(0, source.length() - DNS_FILE.length()) + file;
        return isRemote(sibling) || Files.exists(Path.of(sibling)) ? sibling : null;
    }

    static boolean isRemote(String source) {
        return source.matches("https?://.*");
    }

    /**
     * The URL to which {@code domain/} and the name are appended, of the longest matching suffix of the domain. Waits
     * as {@link BootstrapRegistry#current} does.
     */
    Future<Optional<String>> serverOf(CheckContext context, String domain) {
        return domains.current(context).map(servers -> Optional.ofNullable(longestSuffix(servers, domain)));
    }

    /** The server of the smallest block that contains the address. */
    Future<Optional<String>> serverOf(CheckContext context, InetAddress address) {
        BootstrapRegistry<RdapRanges> registry = address.getAddress().length == 4 ? ipv4 : ipv6;
        return registry.current(context).map(ranges -> ranges.serverOf(address));
    }

    /** The server of the smallest block that contains the AS number. */
    Future<Optional<String>> serverOf(CheckContext context, long asNumber) {
        return asNumbers.current(context).map(ranges -> ranges.serverOf(asNumber));
    }

    private static @Nullable String longestSuffix(Map<String, String> servers, String domain) {
        String suffix = domain;
        while (!servers.containsKey(suffix) && suffix.indexOf('.') >= 0) {
            suffix = suffix.substring(suffix.indexOf('.') + 1);
        }
        return servers.get(suffix);
    }

    /**
     * Parses a bootstrap registry.
     *
     * @return the server URL by lower-case suffix, block or range, each with a trailing slash
     * @throws IllegalArgumentException if it contains no server
     */
    static Map<String, String> parse(byte[] bytes) {
        JsonNode services;
        try {
            services = MAPPER.readTree(bytes).path("services");
        } catch (IOException malformed) {
            throw new IllegalArgumentException("is not valid JSON", malformed);
        }
        Map<String, String> servers = new HashMap<>();
        for (JsonNode service : services) {
            String server = server(service.path(1));
            for (JsonNode name : service.path(0)) {
                if (server != null && name.isTextual() && servers.size() < MAX_NAMES) {
                    servers.put(name.asText().toLowerCase(Locale.ROOT), server);
                }
            }
        }
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("contains no RDAP server");
        }
        return Map.copyOf(servers);
    }

    /** The first https URL, otherwise the first URL. */
    private static @Nullable String server(JsonNode urls) {
        String plain = null;
        for (JsonNode each : urls) {
            Target.Url url = each.isTextual() ? url(each.asText()) : null;
            if (url != null) {
                String text = url.text().endsWith("/") ? url.text() : url.text() + "/";
                if (url.secure()) {
                    return text;
                }
                plain = plain == null ? text : plain;
            }
        }
        return plain;
    }

    static Target.@Nullable Url url(String text) {
        return TargetParser.tryUrl(text, "https", "http");
    }
}
