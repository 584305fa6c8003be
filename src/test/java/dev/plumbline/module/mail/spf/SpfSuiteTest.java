package dev.plumbline.module.mail.spf;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.plumbline.module.mail.spf.SpfLookups.Question;
import dev.plumbline.module.mail.spf.SpfLookups.Response;
import dev.plumbline.module.mail.spf.SpfLookups.Status;
import dev.plumbline.support.DebianTool;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.xbill.DNS.Type;

/** The test suite for implementations of RFC 7208 that Debian's python3-spf contains. */
class SpfSuiteTest {
    @TestFactory
    List<DynamicTest> returnsTheResultOfTheTestSuite() throws IOException {
        Path suite = DebianTool.documentationIfInstalled("python3-spf", "rfc7208-tests.yml.gz");
        List<DynamicTest> tests = new ArrayList<>();
        try (InputStream in = new GZIPInputStream(Files.newInputStream(suite))) {
            String yaml = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            MappingIterator<JsonNode> scenarios =
                    new YAMLMapper().readerFor(JsonNode.class).readValues(yaml);
            while (scenarios.hasNext()) {
                JsonNode scenario = scenarios.next();
                Map<String, JsonNode> zone = zone(scenario.get("zonedata"));
                scenario.get("tests")
                        .fields()
                        .forEachRemaining(test -> tests.add(
                                DynamicTest.dynamicTest(test.getKey(), () -> assertResult(test.getValue(), zone))));
            }
        }
        assertThat(tests).hasSizeGreaterThan(150);
        return tests;
    }

    private static Map<String, JsonNode> zone(JsonNode data) {
        Map<String, JsonNode> zone = new TreeMap<>();
        data.fields().forEachRemaining(entry -> zone.put(entry.getKey().toLowerCase(Locale.ROOT), entry.getValue()));
        return zone;
    }

    private static void assertResult(JsonNode test, Map<String, JsonNode> zone) {
        String helo = test.get("helo").asText();
        String from = test.get("mailfrom").asText();
        String domain = from.isEmpty() ? helo : from.substring(from.lastIndexOf('@') + 1);
        InetAddress address = IpAddressText.parse(test.get("host").asText());
        assertThat(address).isNotNull();
        String result = "none";
        try {
            // A target that is not a domain is rejected before a check; receivers return none.
            assertThat(TargetParser.domainName(domain)).isNotNull();
            SpfClient client = SpfClient.of(address, from, helo, domain);
            result = String.valueOf(evaluate(domain, client, zone).result()).toLowerCase(Locale.ROOT);
        } catch (InvalidTargetException invalid) {
            assertThat(invalid.getMessage()).isNotEmpty();
        }
        JsonNode expected = test.get("result");
        List<String> allowed = new ArrayList<>();
        (expected.isArray() ? expected : new YAMLMapper().createArrayNode().add(expected))
                .forEach(value -> allowed.add(value.asText()));
        assertThat(allowed).contains(result);
    }

    private static SpfEvaluator.Outcome evaluate(String domain, SpfClient client, Map<String, JsonNode> zone) {
        SpfLookups responses = new SpfLookups();
        for (int step = 0; step < 200; step++) {
            try {
                return SpfEvaluator.evaluate(domain, client, responses);
            } catch (SpfLookups.MissingException missing) {
                missing.questions().forEach(question -> responses.add(question, response(question, zone, 0)));
            }
        }
        throw new AssertionError("the evaluation does not end");
    }

    private static Response response(Question question, Map<String, JsonNode> zone, int aliases) {
        int type = question.type() == SpfLookups.EXISTS ? Type.A : question.type();
        List<String> texts = new ArrayList<>();
        List<InetAddress> addresses = new ArrayList<>();
        List<String> names = new ArrayList<>();
        boolean timeout = false;
        boolean hasTxt = false;
        JsonNode records = zone.get(question.name().toLowerCase(Locale.ROOT));
        if (records == null) {
            return question.name().startsWith("error.")
                    ? Response.of(Status.FAILURE)
                    : new Response(Status.SUCCESS, texts, addresses, names);
        }
        for (JsonNode record : records) {
            hasTxt |= record.has("TXT");
        }
        for (JsonNode record : records) {
            timeout |= record.asText().equals("TIMEOUT");
            JsonNode alias = record.get("CNAME");
            if (alias != null) {
                return aliases > 10
                        ? Response.of(Status.FAILURE)
                        : response(new Question(alias.asText(), question.type()), zone, aliases + 1);
            }
            // Records of the obsolete type SPF are those of type TXT, unless the zone has its own.
            JsonNode value = record.get(type == Type.TXT && !hasTxt ? "SPF" : Type.string(type));
            if (value == null || value.asText().equals("NONE")) {
                continue;
            }
            if (value.asText().equals("TIMEOUT")) {
                return Response.of(Status.FAILURE);
            }
            switch (type) {
                case Type.TXT -> texts.add(text(value));
                case Type.MX -> {
                    if (!value.get(1).asText().isEmpty()) {
                        names.add(value.get(1).asText().toLowerCase(Locale.ROOT));
                    }
                }
                case Type.PTR -> names.add(value.asText().toLowerCase(Locale.ROOT));
                default -> {
                    InetAddress address = IpAddressText.parse(value.asText());
                    if (address instanceof Inet6Address == (type == Type.AAAA)) {
                        addresses.add(address);
                    }
                }
            }
        }
        boolean empty = texts.isEmpty() && addresses.isEmpty() && names.isEmpty();
        return timeout && empty ? Response.of(Status.FAILURE) : new Response(Status.SUCCESS, texts, addresses, names);
    }

    /** Each byte is one character, as in {@code DnsResponse.texts}. */
    private static String text(JsonNode value) {
        StringBuilder text = new StringBuilder();
        if (value.isArray()) {
            value.forEach(part -> text.append(part.asText()));
        } else {
            text.append(value.asText());
        }
        return new String(text.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
