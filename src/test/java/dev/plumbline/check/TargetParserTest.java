package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Locale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetParserTest {
  private static final Description URL = Description.of("u", "U", InputType.URL).build();
  private static final Description WEBSOCKET =
      Description.of("w", "W", InputType.URL).schemes("wss", "ws").build();
  private static final Description HOST_PORT =
      Description.of("p", "P", InputType.HOST_PORT).defaultPort(443).build();
  private static final Description ANY_PORT = Description.of("q", "Q", InputType.HOST_PORT).build();
  private static final Description DOMAIN = Description.of("d", "D", InputType.DOMAIN).build();
  private static final Description HOST = Description.of("h", "H", InputType.HOST).build();
  private static final Description IP = Description.of("i", "I", InputType.IP).build();
  private static final Description EMAIL = Description.of("e", "E", InputType.EMAIL).build();

  private static String normal(Description module, String raw) throws InvalidTargetException {
    Target target = TargetParser.parse(module, raw);
    assertThat(TargetParser.parse(module, target.text())).isEqualTo(target);
    return target.text();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "example.com | https://example.com/",
        "  EXAMPLE.com.  | https://example.com/",
        "http://Example.COM:80 | http://example.com/",
        "https://example.com:443/a | https://example.com/a",
        "http://example.com:443/ | http://example.com:443/",
        "https://example.com:0443/ | https://example.com/",
        "https://example.com:/ | https://example.com/",
        "http:/example.com/x | http://example.com/x",
        "http:example.com | http://example.com/",
        "HTTP:///example.com | http://example.com/",
        "//example.com/x | https://example.com/x",
        "example.com:8443/x?y | https://example.com:8443/x?y",
        "example.com?q=1 | https://example.com/?q=1",
        "example.com/? | https://example.com/?",
        "example.com/a#b?c | https://example.com/a",
        "example.com#b | https://example.com/",
        "example.com/a/./b/../c | https://example.com/a/c",
        "example.com/a/.. | https://example.com/",
        "example.com/../../a/. | https://example.com/a/",
        "example.com/a/%2e%2E/b | https://example.com/b",
        "example.com//a//b | https://example.com//a//b",
        "example.com/%7euser/%c3%a9 | https://example.com/~user/%C3%A9",
        "example.com/é?ü=ß | https://example.com/%C3%A9?%C3%BC=%C3%9F",
        "example.com/a b | https://example.com/a%20b",
        "example.com/%zz%2 | https://example.com/%25zz%252",
        "example.com/a%2fb%3Fc | https://example.com/a%2Fb%3Fc",
        "example.com/?a[]=1&b={}\\ | https://example.com/?a%5B%5D=1&b=%7B%7D%5C",
        "example.com/?a=%0d%0aX: 1 | https://example.com/?a=%0D%0AX:%201",
        "münchen.de | https://xn--mnchen-3ya.de/",
        "MÜNCHEN。DE | https://xn--mnchen-3ya.de/",
        "faß.de | https://xn--fa-hia.de/",
        "XN--MNCHEN-3YA.de | https://xn--mnchen-3ya.de/",
        "r3---sn-abc.example.com | https://r3---sn-abc.example.com/",
        "ｅｘａｍｐｌｅ.com | https://example.com/",
        "ex%61mple.com/x | https://example.com/x",
        "http://m%C3%BCnchen.de | http://xn--mnchen-3ya.de/",
        "http://2130706433/ | http://127.0.0.1/",
        "http://0177.0.0.1/ | http://127.0.0.1/",
        "http://0x7f.1/ | http://127.0.0.1/",
        "http://0X7F000001/ | http://127.0.0.1/",
        "http://127.1/ | http://127.0.0.1/",
        "http://127.0.0.1./ | http://127.0.0.1/",
        "http://１２７.０.０.１/ | http://127.0.0.1/",
        "http://①②⑦.0.0.1/ | http://127.0.0.1/",
        "http://127。0｡0．1/ | http://127.0.0.1/",
        "http://%31%32%37.0.0.1/ | http://127.0.0.1/",
        "http://0/ | http://0.0.0.0/",
        "http://0x/ | http://0.0.0.0/",
        "http://[::1]/ | http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]:8080 | http://[::1]:8080/",
        "http://[::FFFF:7f00:1]/ | http://[::ffff:127.0.0.1]/",
        "http://[::ffff:127.0.0.1]/ | http://[::ffff:127.0.0.1]/",
        "http://[2001:DB8:0:0:1:0:0:1]/ | http://[2001:db8::1:0:0:1]/",
        "http://[2001:db8:0:1:1:1:1:1]/ | http://[2001:db8:0:1:1:1:1:1]/",
        "http://[64:ff9b::8.8.8.8]/ | http://[64:ff9b::808:808]/",
      })
  void normalisesUrls(String raw, String expected) throws InvalidTargetException {
    assertThat(normal(URL, raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | empty",
        "'   ' | empty",
        "ftp://example.com/ | scheme",
        "javascript:alert(1) | port is not a number",
        "file:///etc/passwd | scheme",
        "file:/etc/passwd | scheme",
        "gopher://example.com | scheme",
        "ws://example.com | scheme",
        "http:// | host is missing",
        "http://:80/ | host is missing",
        "http://user@example.com/ | user name",
        "http://user:pw@example.com/ | user name",
        "http://example.com@127.0.0.1/ | user name",
        "http://127.0.0.1\\@example.com/ | backslash",
        "http:\\\\example.com\\x | backslash",
        "http://example.com\\x | backslash",
        "http://a%40b.com/ | cannot hold the character @",
        "http://a%2fb.com/ | cannot hold the character /",
        "http://a%3a80.com/ | no name has",
        "http://a%00b.com/ | such a character",
        "http://a%0d%0ab.com/ | such a character",
        "http://a%zz.com/ | percent-encoding",
        "http://a%ff.com/ | not UTF-8",
        "http://exa mple.com/ | space",
        "http://*.example.com/ | wildcard",
        "http://a_b.example.com/ | underscore",
        "http://-a.example.com/ | hyphen",
        "http://a-.example.com/ | hyphen",
        "http://a..example.com/ | empty",
        "http://example.com../ | empty",
        "http://./ | missing",
        "http://xn--.example.com/ | xn--",
        "http://xn--zz-zz-zz-zz--.example.com/ | xn--",
        "http://256.1.1.1/ | ends in a number",
        "http://1.2.3.4.5/ | ends in a number",
        "http://4294967296/ | ends in a number",
        "http://08.1.1.1/ | ends in a number",
        "http://1.2.3.0x100/ | ends in a number",
        "http://example.0x7f/ | ends in a number",
        "http://example.1/ | ends in a number",
        "http://99999999999999999999999/ | ends in a number",
        "http://[::1/ | never closed",
        "http://[::1]x/ | stands a port",
        "http://[::1%25eth0]/ | zone",
        "http://[fe80::1%eth0]/ | zone",
        "http://[1:2:3]/ | malformed",
        "http://[127.0.0.1]/ | malformed",
        "http://[::1::]/ | malformed",
        "http://[:::]/ | malformed",
        "http://[1:2:3:4:5:6:7::8:9]/ | malformed",
        "http://[::1.2.3]/ | malformed",
        "http://[::01.2.3.4]/ | malformed",
        "http://::1/ | brackets",
        "http://example.com:0/ | 1 to 65535",
        "http://example.com:65536/ | 1 to 65535",
        "http://example.com:8o/ | not a number",
        "http://example.com:-1/ | not a number",
      })
  void refusesWhatIsNoUrl(String raw, String reason) {
    assertThatThrownBy(() -> TargetParser.parse(URL, raw))
        .isInstanceOf(InvalidTargetException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://example.com/\r\nX: 1",
        "http://exa\tmple.com/",
        "http://example.com/\0",
        "http://example.com/\u007f",
        "http://example.com/\u0085x",
        "http://example.com/\ud800",
        "http://example.com\n.evil/",
      })
  void refusesControlCharactersAndBrokenUnicode(String raw) {
    assertThatThrownBy(() -> TargetParser.parse(URL, raw))
        .isInstanceOf(InvalidTargetException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "example.com | example.com",
        "EXAMPLE.com.:443 | example.com",
        "example.com:8443 | example.com:8443",
        "example.com: | example.com",
        "https://example.com/path?x#y | example.com",
        "https://example.com:8443/path | example.com:8443",
        "http://example.com/ | example.com",
        "ftp://example.com/ | example.com",
        "example.com/path | example.com",
        "example.com:25/path | example.com:25",
        "[2600::1]:443 | 2600::1",
        "[2600::1]:993 | [2600::1]:993",
        "2600:0::1 | 2600::1",
        "[2600::1] | 2600::1",
        "0x7f.1:443 | 127.0.0.1",
      })
  void normalisesHostsWithPorts(String raw, String expected) throws InvalidTargetException {
    assertThat(normal(HOST_PORT, raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "example.com:99999",
        "example.com:https",
        "user@example.com:22",
        "https://user@example.com",
        "_a.example.com:25",
        "1:2:3",
        "[::1]8",
        ":443",
      })
  void refusesWhatIsNoHostAndPort(String raw) {
    assertThatThrownBy(() -> TargetParser.parse(HOST_PORT, raw))
        .isInstanceOf(InvalidTargetException.class);
  }

  @ParameterizedTest
  @CsvSource({"https://example.com/, example.com:443", "example.com:70, example.com:70"})
  void takesThePortOfAUrlWhereTheModuleHasNone(String raw, String expected)
      throws InvalidTargetException {
    assertThat(normal(ANY_PORT, raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"example.com", "ftp://example.com", "::1"})
  void asksForAPortWhereNothingImpliesOne(String raw) {
    assertThatThrownBy(() -> TargetParser.parse(ANY_PORT, raw))
        .isInstanceOf(InvalidTargetException.class)
        .hasMessageContaining("needs a port");
  }

  @ParameterizedTest
  @CsvSource({
    "Example.COM., example.com",
    "_dmarc.Example.com, _dmarc.example.com",
    "_sip._tcp.münchen.de, _sip._tcp.xn--mnchen-3ya.de",
    "https://user.example.com:8443/x, user.example.com",
    "example.com/x, example.com",
    "1.0.0.127.in-addr.arpa, 1.0.0.127.in-addr.arpa",
  })
  void normalisesDomains(String raw, String expected) throws InvalidTargetException {
    assertThat(normal(DOMAIN, raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "::1",
        "[::1]",
        "2130706433",
        "0x7f.1",
        "https://1.1.1.1/",
        "a@example.com",
        "example.com:53",
        "exa mple.com",
        "a..b",
        "https://user@example.com/",
        ".",
        "*.example.com"
      })
  void refusesWhatIsNoDomain(String raw) {
    assertThatThrownBy(() -> TargetParser.parse(DOMAIN, raw))
        .isInstanceOf(InvalidTargetException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "Example.com, example.com",
    "127.1, 127.0.0.1",
    "2600:0::1, 2600::1",
    "[2600::1], 2600::1",
    "https://[2600::1]:8080/x, 2600::1",
  })
  void normalisesHosts(String raw, String expected) throws InvalidTargetException {
    assertThat(normal(HOST, raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"1.1.1.1, 1.1.1.1", "0x01010101, 1.1.1.1", "[2600::1], 2600::1", "2600::01, 2600::1"})
  void normalisesAddresses(String raw, String expected) throws InvalidTargetException {
    assertThat(normal(IP, raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"example.com", "1.1.1.1:80", "1.1.1.256", "https://1.1.1.1/", "fe80::1%1"})
  void refusesWhatIsNoAddress(String raw) {
    assertThatThrownBy(() -> TargetParser.parse(IP, raw))
        .isInstanceOf(InvalidTargetException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "Jane.Doe+tag@Example.COM. | Jane.Doe+tag@example.com",
        "jörg@münchen.de | jörg@xn--mnchen-3ya.de",
        "\"a b\\\"@c\"@example.com | \"a b\\\"@c\"@example.com",
      })
  void normalisesMailAddresses(String raw, String expected) throws InvalidTargetException {
    assertThat(normal(EMAIL, raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "example.com",
        "@example.com",
        "a@",
        "a..b@example.com",
        ".a@example.com",
        "a b@example.com",
        "a@[127.0.0.1]",
        "a@127.0.0.1",
        "a@b_c.com",
        "a@b@example.com",
        "\"a@example.com",
        "a@example.com:25",
        "a@example.com/x",
        "<a@example.com>"
      })
  void refusesWhatIsNoMailAddress(String raw) {
    assertThatThrownBy(() -> TargetParser.parse(EMAIL, raw))
        .isInstanceOf(InvalidTargetException.class);
  }

  @ParameterizedTest
  @CsvSource({"chat.example.com, wss://chat.example.com/", "ws://a.example:80/b, ws://a.example/b"})
  void takesTheFirstSchemeOfTheModule(String raw, String expected) throws InvalidTargetException {
    assertThat(normal(WEBSOCKET, raw)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {2048, 2049})
  void boundsTheLength(int length) {
    String target = "https://example.com/" + "a".repeat(length - 20);
    if (length <= TargetParser.MAX_BYTES) {
      assertThat(target).satisfies(text -> assertThat(normal(URL, text)).isEqualTo(text));
    } else {
      assertThatThrownBy(() -> normal(URL, target)).hasMessageContaining("2,048");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.", "ü."})
  void boundsNamesAndLabels(String label) {
    String name = label.repeat(140) + "example.com";
    assertThatThrownBy(() -> normal(DOMAIN, name)).hasMessageContaining("253");
    String label64 = label.substring(0, 1).repeat(64) + ".example.com";
    assertThatThrownBy(() -> normal(DOMAIN, label64)).hasMessageContaining("63");
  }

  @Property(tries = 3000)
  void whateverParsesParsesToTheSameAgain(
      @ForAll InputType input, @ForAll("nearTargets") String raw) {
    Description module = Description.of("m", "M", input).defaultPort(443).build();
    Target target;
    try {
      target = TargetParser.parse(module, raw);
    } catch (InvalidTargetException refused) {
      assertThat(refused.getMessage()).isNotBlank().endsWith(".");
      return;
    }
    String text = target.text();
    try {
      assertThat(TargetParser.parse(module, text)).isEqualTo(target);
    } catch (InvalidTargetException refused) {
      throw new AssertionError(text + ": " + refused.getMessage(), refused);
    }
    assertThat(text).doesNotContainPattern("[\\x00-\\x1f\\x7f]");
    if (input != InputType.EMAIL) {
      assertThat(text).matches("[\\x21-\\x7e]+");
    }
  }

  @Property(tries = 500)
  void caseOfTheHostDoesNotMatter(@ForAll("hosts") String host) throws InvalidTargetException {
    assertThat(normal(DOMAIN, host.toUpperCase(Locale.ROOT))).isEqualTo(normal(DOMAIN, host));
  }

  @Property(tries = 500)
  void everyAddressSurvivesItsText(@ForAll("addresses") byte[] bytes) {
    var address = AddressText.of(bytes);
    assertThat(AddressText.parse(AddressText.format(address))).isEqualTo(address);
  }

  @Provide
  Arbitrary<byte[]> addresses() {
    Arbitrary<Byte> oftenZero =
        Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(2, Arbitraries.just((byte) 0)),
            net.jqwik.api.Tuple.of(1, Arbitraries.bytes()));
    return Arbitraries.of(4, 16).flatMap(size -> oftenZero.array(byte[].class).ofSize(size));
  }

  @Provide
  Arbitrary<String> hosts() {
    return Arbitraries.strings()
        .withCharRange('a', 'z')
        .ofMinLength(1)
        .ofMaxLength(10)
        .list()
        .ofMinSize(1)
        .ofMaxSize(4)
        .map(labels -> String.join(".", labels));
  }

  @Provide
  Arbitrary<String> nearTargets() {
    Arbitrary<String> pieces =
        Arbitraries.of(
            "http",
            "https",
            ":",
            "/",
            "//",
            "?",
            "#",
            "@",
            "[",
            "]",
            "::",
            "%",
            "%2e",
            "%2F",
            "%41",
            "example.com",
            "EXAMPLE",
            ".",
            "..",
            "/../",
            "/./",
            "1",
            "127",
            "0x7f",
            "0177",
            "münchen",
            "ß",
            "xn--mnchen-3ya",
            "xn--",
            "_a",
            "-",
            "。",
            "１",
            "é",
            "\\",
            " ",
            "\"",
            "+",
            "a",
            "ffff",
            "\u200d",
            "\u0301",
            "ا",
            "א",
            "😀",
            "<",
            "{",
            "|",
            "~",
            ":443",
            ":80",
            ":8080");
    Arbitrary<String> composed =
        pieces.list().ofMinSize(1).ofMaxSize(9).map(l -> String.join("", l));
    Arbitrary<String> wild = Arbitraries.strings().ofMaxLength(30);
    Arbitrary<String> addressed =
        Combinators.combine(Arbitraries.of("http://example.com/", "a@example.com", "x."), wild)
            .as((a, b) -> a + b);
    return Arbitraries.oneOf(composed, composed, addressed, wild);
  }
}
