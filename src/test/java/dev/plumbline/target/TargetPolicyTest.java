package dev.plumbline.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.lab.HostileTargets;
import dev.plumbline.lab.HostileTargets.Case;
import dev.plumbline.lab.HostileTargets.Rejection;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.ModuleDescriptionBuilder;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetPolicyTest {
    private static final List<String> PORTS = List.of("25", "53", "80", "443", "8080");
    private static final ModuleDescription URL =
            ModuleDescriptionBuilder.of("u", "U", InputType.URL).build();
    private static final TargetPolicy STRICT = policy(List.of(), List.of(), PORTS);

    private static TargetPolicy policy(List<String> allow, List<String> deny, List<String> ports) {
        return new TargetPolicy(
                new TargetPolicy.Rules(allow, deny, List.of("corp.example"), ports),
                (address, port) -> port == 9090 && address.isLoopbackAddress());
    }

    private static InetAddress address(String text) {
        return Objects.requireNonNull(IpAddressText.parse(text), text);
    }

    static List<Case> hostile() {
        return HostileTargets.rejectedBeforeLookup(8080);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5.1.168.192.in-addr.arpa",
                "168.192.in-addr.arpa",
                "10.in-addr.arpa",
                "16.172.in-addr.arpa",
                "254.169.254.169.in-addr.arpa",
                "_dmarc.1.0.0.127.in-addr.arpa",
                "9.0-25.2.1.10.in-addr.arpa",
                "d.f.ip6.arpa",
                "1.0.8.e.f.ip6.arpa",
                "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa"
            })
    void rejectsReverseNamesOfForbiddenAddresses(String name) {
        assertThat(STRICT.refusalOfName(name)).contains(name).endsWith(".");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8.8.8.8.in-addr.arpa",
                "192.in-addr.arpa",
                "172.in-addr.arpa",
                "in-addr.arpa",
                "ip6.arpa",
                "x.ip6.arpa",
                "256.in-addr.arpa",
                "0.6.2.ip6.arpa",
                "10.in-addr.arpa.example.com",
                "5.1.168.192.zen.example.org"
            })
    void allowsReverseNamesOfPublicAddresses(String name) {
        assertThat(STRICT.refusalOfName(name)).isNull();
    }

    @Test
    void allowsReverseNamesOfAllowedAddresses() {
        TargetPolicy lenient = policy(List.of("10.1.0.0/16"), List.of("8.8.8.8"), PORTS);

        assertThat(lenient.refusalOfName("1.2.1.10.in-addr.arpa")).isNull();
        assertThat(lenient.refusalOfName("1.10.in-addr.arpa")).isNull();
        assertThat(lenient.refusalOfName("1.2.2.10.in-addr.arpa")).contains("10.2.2.1");
        assertThat(lenient.refusalOfName("8.8.8.8.in-addr.arpa")).contains("targets.deny");
    }

    /** Only the target was entered; a name in a record of its zone was not. */
    @Test
    void explainsSingleLabels() throws InvalidTargetException {
        assertThat(STRICT.refusal(TargetParser.parse(URL, "http://com/")))
                .isEqualTo("com is a single label. Enter a fully qualified domain name, such as example.com.");
        assertThat(STRICT.refusalOfName("ns1")).isEqualTo("ns1 is a single label. Single labels are not looked up.");
    }

    @ParameterizedTest
    @CsvSource({"'', true", "com, true", "example.com, true", "localhost, false", "local, false", "a.internal, false"})
    void allowsLookupsOfTopLevelZones(String zone, boolean allowed) {
        assertThat(STRICT.refusalOfZone(zone) == null).isEqualTo(allowed);
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void rejectsHostileTargetsBeforeLookups(Case hostile) throws InvalidTargetException {
        if (hostile.rejection() == Rejection.INVALID) {
            assertThatThrownBy(() -> TargetParser.parse(URL, hostile.target()))
                    .isInstanceOf(InvalidTargetException.class)
                    .message()
                    .endsWith(".");
        } else {
            assertThat(STRICT.refusal(TargetParser.parse(URL, hostile.target())))
                    .endsWith(".");
        }
    }

    @Test
    void coversManyHostileTargets() {
        assertThat(hostile()).hasSizeGreaterThan(150).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.0",
                "169.253.255.255",
                "169.255.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.0.1.0",
                "192.0.3.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "198.51.99.255",
                "203.0.114.0",
                "223.255.255.255",
                "168.63.129.15",
                "2001:200::1",
                "2600::1",
                "2a00:1450:4001:80b::200e",
                "3ffe:ffff::1",
                "3fff:1000::1",
                "64:ff9b::8.8.8.8",
                "2606:4700:4700::1111",
                "2600::5efe:8.8.8.8"
            })
    void allowsPublicAddresses(String text) {
        assertThat(STRICT.refusalOf(address(text), 443)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "169.254.169.254, cloud metadata",
        "10.0.0.1, RFC 1918",
        "64:ff9b::a00:1, NAT64",
        "2600::5efe:127.0.0.1, ISATAP",
        "::ffff:127.0.0.1, IPv4-mapped",
        "fd00::1, RFC 4193",
    })
    void statesReasonAndSetting(String text, String why) {
        assertThat(STRICT.refusalOf(address(text), 443))
                .contains(text.startsWith("64:ff9b") ? "64:ff9b::a00:1" : IpAddressText.format(address(text)))
                .contains(why)
                .contains("targets.allow");
    }

    @Test
    void allowsConfiguredBlocks() {
        TargetPolicy lab = policy(List.of("127.0.0.0/8", "::1"), List.of(), List.of("*"));
        assertThat(lab.refusalOf(address("127.0.0.1"), 1234)).isNull();
        assertThat(lab.refusalOf(address("::1"), 1234)).isNull();
        assertThat(lab.refusalOf(address("::2"), 1234)).isNotNull();
        assertThat(lab.refusalOf(address("10.0.0.1"), 1234)).isNotNull();
        assertThat(lab.refusalOf(address("::ffff:127.0.0.1"), 1234)).isNotNull();
        assertThat(lab.refusalOf(address("64:ff9b::7f00:1"), 1234)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "::ffff:0:0"})
    void rejectsItsOwnSockets(String text) {
        TargetPolicy lax = policy(List.of("0.0.0.0/0", "::/0"), List.of(), List.of("*"));
        assertThat(lax.refusalOf(address(text), 9090)).contains("is this service, which cannot check itself");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "::ffff:0.0.0.0", "64:ff9b::"})
    void rejectsTheUnspecifiedAddress(String text) {
        TargetPolicy lax = policy(List.of("0.0.0.0/0", "::/0"), List.of(), List.of("*"));
        assertThat(lax.refusalOf(address(text), 80)).contains("is the unspecified address");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2.3.4", "5.6.7.8", "2600:1::1", "2600:2::1", "64:ff9b::1.2.3.4"})
    void rejectsDeniedAddresses(String text) {
        TargetPolicy policy =
                policy(List.of("1.2.3.4"), List.of("1.2.3.4", "5.6.0.0/16", "2600:1::/32", "2600:2::1"), PORTS);
        assertThat(policy.refusalOf(address(text), 80)).contains("targets.deny");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "denied.example",
                "a.b.denied.example",
                "wild.example",
                "a.wild.example",
                "dot.example",
                "xn--mnchen-3ya.example"
            })
    void rejectsDeniedNames(String name) {
        TargetPolicy policy = policy(
                List.of(), List.of("Denied.Example.", "*.wild.example", ".dot.example", "münchen.example"), PORTS);
        assertThat(policy.refusalOfName(name)).contains("targets.deny");
        assertThat(policy.refusalOfName("notdenied.example")).isNull();
        assertThat(policy.refusalOfName(name + ".other.example")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"corp.example", "a.corp.example"})
    void rejectsDeniedSuffixes(String name) {
        assertThat(STRICT.refusalOfName(name)).contains("dns.deny_suffixes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"example.com", "a.test", "a.invalid", "localhost.com", "mylocal.example", "internal.example.com"
            })
    void allowsPublicNames(String name) {
        assertThat(STRICT.refusalOfName(name)).isNull();
    }

    @Test
    void classifiesTargetsOfEveryType() throws InvalidTargetException {
        for (InputType input : InputType.values()) {
            ModuleDescription module = ModuleDescriptionBuilder.of("m", "M", input)
                    .defaultPort(443)
                    .build();
            String prefix = input == InputType.EMAIL ? "postmaster@" : "";
            String bad = input == InputType.IP ? "10.0.0.1" : prefix + "printer.local";
            String good = input == InputType.IP ? "1.1.1.1" : prefix + "example.com";
            assertThat(STRICT.refusal(TargetParser.parse(module, bad)))
                    .as(input.id())
                    .isNotNull();
            assertThat(STRICT.refusal(TargetParser.parse(module, good)))
                    .as(input.id())
                    .isNull();
        }
    }

    @Test
    void enforcesAllowedPorts() {
        TargetPolicy policy = policy(List.of(), List.of(), List.of("80", "8000-8010"));
        assertThat(policy.refusalOf(address("1.1.1.1"), 8005)).isNull();
        assertThat(policy.refusalOf(address("1.1.1.1"), 8011)).contains("8011").contains("targets.ports");
        assertThat(policy.refusalOf(address("1.1.1.1"), 443)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10.0.0.0/33", "10.0.0/8", "fc00::/129", "1.2.3.4/", "1.2.3.4/x", "example.com", "", "010.0.0.1"
            })
    void namesInvalidAllowRules(String rule) {
        assertThatThrownBy(() -> policy(List.of(rule), List.of(), PORTS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(rule);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0/33", "1.2.3", "exa mple.com", "a..b", "", "http://example.com/"})
    void namesInvalidDenyRules(String rule) {
        assertThatThrownBy(() -> policy(List.of(), List.of(rule), PORTS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(rule);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "65536", "x", "", "10-5", "-5", "80-"})
    void namesInvalidPorts(String rule) {
        assertThatThrownBy(() -> policy(List.of(), List.of(), List.of(rule)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(rule);
    }
}
