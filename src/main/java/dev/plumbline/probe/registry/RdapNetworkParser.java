package dev.plumbline.probe.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.target.Cidr;
import dev.plumbline.target.IpAddressText;
import java.math.BigInteger;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parses RDAP objects of networks and AS numbers (RFC 9083 sections 5.4 and 5.5) from untrusted servers. */
public final class RdapNetworkParser {
    private RdapNetworkParser() {}

    /** @return null if the body is not a network that contains the address */
    public static @Nullable NetworkRegistration network(String body, InetAddress address) {
        JsonNode network = RdapJson.object(body, "ip network");
        String cidr = network == null ? null : cidr(network, address);
        if (network == null || cidr == null) {
            return null;
        }
        JsonNode abuse = RdapJson.entity(network, "abuse");
        return new NetworkRegistration(
                cidr,
                text(network.path("name")),
                organization(network),
                country(network.path("country")),
                abuse == null ? null : RegistryValueParser.email(RdapJson.property(abuse, "email")),
                RdapJson.items(network.path("arin_originas0_originautnums")).stream()
                        .filter(number -> number.canConvertToLong() && number.asLong() > 0)
                        .map(JsonNode::asLong)
                        .distinct()
                        .toList(),
                RdapJson.items(network.path("status")).stream()
                        .anyMatch(status -> "reserved".equalsIgnoreCase(status.asText())),
                isComplete(network));
    }

    /** The name of an AS number; null if the body is not an object of it, or does not contain a name. */
    public static @Nullable String asName(String body, long asNumber) {
        JsonNode autnum = RdapJson.object(body, "autnum");
        if (autnum == null
                || !autnum.path("startAutnum").canConvertToLong()
                || !autnum.path("endAutnum").canConvertToLong()) {
            return null;
        }
        boolean contains = autnum.path("startAutnum").asLong() <= asNumber
                && asNumber <= autnum.path("endAutnum").asLong();
        return contains ? text(autnum.path("name")) : null;
    }

    /** The block that contains the address: from the range, otherwise from the member of the extension cidr0. */
    private static @Nullable String cidr(JsonNode network, InetAddress address) {
        InetAddress first = address(network.path("startAddress"));
        InetAddress last = address(network.path("endAddress"));
        if (first != null && last != null) {
            return block(address, first, last);
        }
        for (JsonNode each : RdapJson.items(network.path("cidr0_cidrs"))) {
            int bits = address.getAddress().length * 8;
            int length = each.path("length").asInt(-1);
            String prefix = each.path(bits == 32 ? "v4prefix" : "v6prefix").asText();
            Cidr cidr = Cidr.tryParse(prefix + "/" + length);
            if (cidr != null && cidr.contains(address)) {
                return text(RdapRanges.number(address), bits, bits - length);
            }
        }
        return null;
    }

    /** The largest CIDR block that contains the address and is a part of the range; null if the range does not. */
    private static @Nullable String block(InetAddress address, InetAddress first, InetAddress last) {
        int bits = address.getAddress().length * 8;
        BigInteger number = RdapRanges.number(address);
        BigInteger from = RdapRanges.number(first);
        BigInteger to = RdapRanges.number(last);
        if (first.getAddress().length * 8 != bits
                || last.getAddress().length * 8 != bits
                || number.compareTo(from) < 0
                || number.compareTo(to) > 0) {
            return null;
        }
        int hostBits = 0;
        while (hostBits < bits && isWithin(number, hostBits + 1, from, to)) {
            hostBits++;
        }
        return text(number, bits, hostBits);
    }

    private static boolean isWithin(BigInteger number, int hostBits, BigInteger from, BigInteger to) {
        BigInteger start = number.shiftRight(hostBits).shiftLeft(hostBits);
        BigInteger end = start.add(BigInteger.ONE.shiftLeft(hostBits)).subtract(BigInteger.ONE);
        return start.compareTo(from) >= 0 && end.compareTo(to) <= 0;
    }

    /** The CIDR block of an address. */
    private static String text(BigInteger number, int bits, int hostBits) {
        BigInteger start = number.shiftRight(hostBits).shiftLeft(hostBits);
        byte[] bytes = new byte[bits / 8];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = start.shiftRight(bits - 8 - 8 * i).byteValue();
        }
        return IpAddressText.format(IpAddressText.of(bytes)) + "/" + (bits - hostBits);
    }

    private static @Nullable InetAddress address(JsonNode text) {
        return text.isTextual() ? IpAddressText.parse(text.asText().strip()) : null;
    }

    /** The registrant that is an organization. Registrants can also be persons and, at RIPE, maintainer objects. */
    private static @Nullable String organization(JsonNode network) {
        List<JsonNode> registrants = RdapJson.items(network.path("entities")).stream()
                .filter(entity -> RdapJson.items(entity.path("roles")).stream()
                        .anyMatch(role -> "registrant".equalsIgnoreCase(role.asText())))
                .toList();
        Stream<String> names = registrants.stream()
                .filter(entity -> "org".equalsIgnoreCase(RdapJson.property(entity, "kind")))
                .flatMap(entity -> Stream.ofNullable(RegistryValueParser.value(RdapJson.property(entity, "fn"))));
        Stream<String> organizations = registrants.stream()
                .flatMap(entity -> Stream.ofNullable(RegistryValueParser.value(RdapJson.property(entity, "org"))));
        return Stream.concat(names, organizations).findFirst().orElse(null);
    }

    private static @Nullable String country(JsonNode country) {
        String code = country.isTextual() ? country.asText().strip().toUpperCase(Locale.ROOT) : "";
        return code.matches("[A-Z]{2}") ? code : null;
    }

    /** Whether the entities are a list without omitted items and without entities that are only a reference. */
    private static boolean isComplete(JsonNode network) {
        JsonNode entities = network.path("entities");
        return entities.isMissingNode()
                || entities.isArray()
                        && entities.size() <= RdapJson.MAX_ITEMS
                        && RdapJson.items(entities).stream()
                                .allMatch(entity -> entity.path("vcardArray").isArray());
    }

    private static @Nullable String text(JsonNode value) {
        return value.isTextual() ? RegistryValueParser.value(value.asText()) : null;
    }
}
