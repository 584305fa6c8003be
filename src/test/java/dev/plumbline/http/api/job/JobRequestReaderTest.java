package dev.plumbline.http.api.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.api.tool.ToolSchemas;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.target.Host;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.Validator;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobRequestReaderTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final TargetPolicy TARGETS = new TargetPolicy(
            new TargetPolicy.Rules(List.of(), List.of("denied.example"), List.of(), List.of("*")),
            (address, port) -> false);
    private static final JobRequestReader READER = reader(contract());
    private static final Validator CONTRACT = validator(schemaOf(contract()));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "169.254.169.254 | 169.254.169.254 is ",
                "::1 | ::1 is ",
                "x | x is a single label. Enter a fully qualified domain name, such as example.com.",
                "a.localhost | Names under .localhost are reserved for local use and cannot be checked.",
                "a.denied.example | a.denied.example is not allowed (denied by denied.example)."
            })
    void hostsThatAreNeverAllowedAreRejected(String host, String refusal) {
        JsonObject body = new JsonObject()
                .put("module", "http-status")
                .put("items", new JsonArray().add("example.com"))
                .put("options", new JsonObject().put("connect_to", host));

        assertThat(faults(body.encode())).singleElement().satisfies(fault -> {
            assertThat(fault.where()).isEqualTo("/options/connect_to");
            assertThat(fault.detail()).startsWith("was rejected: " + refusal);
        });
    }

    @Test
    void hostnamesOfConnectToAreNotLookedUp() {
        JsonObject options = new JsonObject().put("connect_to", "cdn.example.com");

        assertThat(read("{\"module\":\"http-status\",\"items\":[\"example.com\"],\"options\":" + options + "}")
                        .options())
                .containsEntry("connect_to", "cdn.example.com");
    }

    @Test
    void validJobIsRead() {
        JobRequestReader.JobRequest job = read(
                """
            {"options": {"timeout_ms": 5000, "method": "get", "fresh": true},
             "items": ["https://example.com/", "", "https://example.com/", "n\\u00f6\\ud83d\\ude00"],
             "module": "http-status"}""");

        assertThat(job)
                .isEqualTo(new JobRequestReader.JobRequest(
                        "https://example.com/",
                        MODULES.find("http-status").description(),
                        List.of("https://example.com/", "", "https://example.com/", "nö😀"),
                        Map.of("timeout_ms", 5000L, "method", "get"),
                        true,
                        null));
    }

    @Test
    void policyAndExpectationsAreRead() {
        String body = "{\"module\":\"http-status\",\"items\":[\"a\"],\"policy\":%s,\"expect\":%s}";

        assertThat(read(body.formatted("\"p\"", "[\"status == 200\"]")).defaultPolicy())
                .isEqualTo(new JobMessage.DefaultPolicy("p", List.of("status == 200")));
        assertThat(read(body.formatted("null", "[\"status == 200\"]")).defaultPolicy())
                .isEqualTo(new JobMessage.DefaultPolicy(null, List.of("status == 200")));
        assertThat(read(body.formatted("\"p\"", "null")).defaultPolicy())
                .isEqualTo(new JobMessage.DefaultPolicy("p", List.of()));
        assertThat(read(body.formatted("null", "null")).defaultPolicy()).isNull();
        assertThat(faults(body.formatted("null,\"policy\":null", "[null]")))
                .extracting(Problem.Fault::where)
                .containsExactly("/policy", "/expect/0");
        assertThat(faults(body.formatted("1", "[\"\",2]")))
                .extracting(Problem.Fault::where)
                .containsExactly("/policy", "/expect/0", "/expect/1");
        assertThat(faults(body.formatted("\"\"", "[" + "\"true\",".repeat(20) + "\"true\"]")))
                .extracting(Problem.Fault::detail)
                .containsExactly("must not be empty", "has 21 expectations; the maximum is 20");
    }

    @Test
    void nameHas1To100Characters() {
        String body = "{\"name\":\"%s\",\"module\":\"http-status\",\"items\":[\"a\"]}";

        assertThat(read(body.formatted("😀".repeat(100))).name()).isEqualTo("😀".repeat(100));
        assertThat(faults(body.formatted("😀".repeat(101)))).singleElement().satisfies(fault -> {
            assertThat(fault.where()).isEqualTo("/name");
            assertThat(fault.detail()).isEqualTo("must have at most 100 characters");
        });
    }

    @Test
    void defaultNameIsFirstItem() {
        String body = "{\"module\":\"http-status\",\"items\":[%s]}";

        assertThat(read(body.formatted("\"a.test\",\"b.test\"")).name()).isEqualTo("a.test");
        assertThat(read(body.formatted("\" \",\"b.test\"")).name()).isEqualTo("b.test");
        assertThat(read(body.formatted('"' + "😀".repeat(101) + '"')).name()).isEqualTo("😀".repeat(100));
        assertThat(read(body.formatted("\"a\\u0000b\\t\"")).name()).isEqualTo("a\ufffdb\ufffd");
        assertThat(read(body.formatted("\"\"")).name())
                .isEqualTo(MODULES.find("http-status").description().title());
    }

    @Test
    void defaultOptionValuesAreDropped() {
        JobRequestReader.JobRequest job =
                read("{\"module\":\"http-status\",\"items\":[\"a\"],\"options\":{\"timeout_ms\":1e4}}");

        assertThat(job.options()).isEmpty();
        assertThat(job.fresh()).isFalse();
    }

    @Test
    void byteOrderMarkIsSkipped() {
        assertThat(read("\ufeff{\"module\":\"http-status\",\"items\":[\"a\"]}").items())
                .containsExactly("a");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
    {} | /module | is missing
    {"module":"http-status"} | /items | is missing
    {"module":"nonsense","items":["a"]} | /module | is not a known module: 'nonsense'
    {"module":7,"items":["a"]} | /module | must be a string
    {"module":null,"items":["a"]} | /module | must be a string
    {"module":"http-status","items":["a"],"name":7} | /name | must be a string
    {"module":"http-status","items":["a"],"name":null} | /name | must be a string
    {"module":"http-status","items":["a"],"name":""} | /name | must not be empty
    {"module":"http-status","items":["a"],"name":" \\u2003"} | /name | must not be blank
    {"module":"http-status","items":["a"],"name":"a\\nb"} | /name | must not contain control characters
    {"module":"http-status","items":["a"],"name":"\\u009b"} | /name | must not contain control characters
    {"module":"http-status","items":["a"],"name":"\\u0085"} | /name | must not contain control characters
    {"module":"http-status","items":["a"],"name":"\\u200b"} | /name | must not contain control characters
    {"module":"http-status","items":["a"],"name":"\\ufeff"} | /name | must not contain control characters
    {"module":"http-status","items":["a"],"name":"a\\u202eb"} | /name | must not contain control characters
    {"module":"http-status","items":["a"],"name":" \\u200d"} | /name | must not be blank
    {"module":"http-status","items":["a"],"name":"\\ud800"} | /name | an unpaired surrogate
    {"module":"http-status","items":["a"],"name":"a","name":"a"} | /name | must not be repeated
    {"module":"http-status","items":[]} | /items | is empty
    {"module":"http-status","items":{}} | /items | must be an array
    {"module":"http-status","items":["a",{"b":[]}]} | /items/1 | must be a string
    {"module":"http-status","items":[null]} | /items/0 | must be a string
    {"module":"http-status","items":["\\ud800"]} | /items/0 | an unpaired surrogate
    {"module":"http-status","items":["a"],"to/~":1} | /to~1~0 | is not a known property
    {"module":"http-status","items":["a"],"items":["a"]} | /items | must not be repeated
    {"module":"http-status","items":["a"],"options":[]} | /options | must be an object
    {"module":"http-status","items":["a"],"options":null} | /options | must be an object
    {"module":"http-status","items":["a"],"options":{"timeout_ms":999}} | /options/timeout_ms | from 1000 to 30000
    {"module":"http-status","items":["a"],"options":{"timeout_ms":"5000"}} | /options/timeout_ms | from 1000 to 30000
    {"module":"http-status","items":["a"],"options":{"timeout_ms":1e400}} | /options/timeout_ms | from 1000 to 30000
    {"module":"http-status","items":["a"],"options":{"timeout_ms":null}} | /options/timeout_ms | from 1000 to 30000
    {"module":"http-status","items":["a"],"options":{"contains":"a\\udc00"}} | /options/contains | an unpaired surrogate
    {"module":"http-status","items":["a"],"options":{"method":"\\ud800"}} | /options/method | must be one of
    {"module":"http-status","items":["a"],"options":{"no~pe":1}} | /options/no~0pe | is not an option of http-status
    {"module":"http-status","items":["a"],"options":{"fresh":"true"}} | /options/fresh | true or false
    {"module":"http-status","items":["a"],"options":{"fresh":null}} | /options/fresh | true or false
    {"module":"http-status","items":["a"],"options":{"fresh":true,"fresh":true}} | /options/fresh | must not be repeated
    """)
    void faultHasJsonPointer(String body, String pointer, String words) {
        assertThat(faults(body)).first().satisfies(fault -> {
            assertThat(fault.member()).isEqualTo("pointer");
            assertThat(fault.where()).isEqualTo(pointer);
            assertThat(fault.detail()).contains(words);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "\"job\"", "null", "17", "true"})
    void nonObjectBodyIsInvalid(String body) {
        assertThat(faults(body)).extracting(Problem.Fault::where).containsExactly("");
    }

    @Test
    void allFaultsAreReportedAtOnce() {
        List<Problem.Fault> faults = faults(
                """
            {"modul": "http-status", "module": "http-status", "items": ["a", 1, "b", null],
             "options": {"method": "put", "max_redirects": -1}}""");

        assertThat(faults)
                .extracting(Problem.Fault::where)
                .containsExactlyInAnyOrder(
                        "/modul", "/items/1", "/items/3", "/options/method", "/options/max_redirects");
    }

    @Test
    void atMost100FaultsAreReported() {
        assertThat(faults("{\"module\":\"http-status\",\"items\":" + "[1" + ",1".repeat(400) + "]}"))
                .hasSize(100);
        StringBuilder members = new StringBuilder("{\"options\":{");
        for (int i = 0; i < 5000; i++) {
            members.append("\"o").append(i).append("\":0,");
        }
        members.append("\"z\":0},\"module\":\"http-status\",\"items\":[\"a\"]}");
        assertThat(faults(members.toString())).hasSize(100);
    }

    @Test
    void moreThan500LinesAreRejected() {
        assertThat(read(lines(500)).items()).hasSize(500);
        assertThat(faults(lines(501))).singleElement().satisfies(fault -> {
            assertThat(fault.where()).isEqualTo("/items");
            assertThat(fault.detail()).contains("has 501 lines; the maximum is 500");
        });
    }

    @ParameterizedTest
    @CsvSource({"a, 2048", "ö, 1024", "€, 682", "😀, 512"})
    void lineLengthIsCountedInUtf8Bytes(String character, int most) {
        String fits = "{\"module\":\"http-status\",\"items\":[\"%s\"]}";

        assertThat(read(fits.formatted(character.repeat(most))).items()).hasSize(1);
        assertThat(faults(fits.formatted(character.repeat(most + 1))))
                .singleElement()
                .satisfies(fault -> assertThat(fault.detail()).contains("must have at most 2048 bytes"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
    {"module":"http-status", | line 1, column
    {"module":"http-status","items":['a']} | line 1, column 34
    {"items":["a",]} | line 1, column 15
    {} {} | line 1, column 4
    {"module":01} | line 1, column
    {"a":NaN} | line 1, column
    {"module" "b"} | line 1, column
    // nothing | line 1, column 1
    """)
    void invalidJsonErrorHasColumn(String body, String where) {
        assertThat(malformed(body.getBytes(StandardCharsets.UTF_8))).contains(where);
    }

    @Test
    void invalidJsonErrorHasLine() {
        assertThat(malformed("{\n \"module\":\n  oops}".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("The request body is not valid JSON. Error at line 3, column 7.");
    }

    @Test
    void invalidUtf8IsNotJson() {
        String job = "{\"module\":\"http-status\",\"items\":[\"ö\"]}";
        assertThat(malformed(job.getBytes(StandardCharsets.ISO_8859_1))).contains("not valid UTF-8");
        assertThat(malformed(job.getBytes(StandardCharsets.UTF_16))).isNotEmpty();
        assertThat(malformed(new byte[0])).contains("empty");
        assertThat(malformed(" \r\n".getBytes(StandardCharsets.UTF_8))).contains("empty");
        // a surrogate encoded in UTF-8
        byte[] cesu = job.replace("ö", "xyz").getBytes(StandardCharsets.UTF_8);
        int at = job.indexOf('ö');
        cesu[at] = (byte) 0xed;
        cesu[at + 1] = (byte) 0xa0;
        cesu[at + 2] = (byte) 0x80;
        assertThat(malformed(cesu)).contains("not valid UTF-8");
    }

    @Test
    void deepNestingAndHugeNumbersAreRejected() {
        String deep = "[".repeat(100_000);
        assertThat(malformed(("{\"x\":" + deep).getBytes(StandardCharsets.UTF_8)))
                .contains("more than 64 nesting levels");
        assertThat(faults("{\"module\":\"http-status\",\"items\":[\"a\"],\"options\":{\"timeout_ms\":"
                        + "1e"
                        + "9".repeat(90)
                        + "}}"))
                .singleElement()
                .satisfies(fault -> assertThat(fault.where()).isEqualTo("/options/timeout_ms"));
        String name = "\ud83d\ude00".repeat(100_000);
        assertThat(faults("{\"" + name + "\":1,\"module\":\"" + name + "\",\"items\":[\"a\"]}"))
                .allSatisfy(fault -> {
                    assertThat(fault.where().length()).isLessThan(300);
                    assertThat(fault.detail().length()).isLessThan(400);
                });
        assertThat(faults("{\"\\ud800\":1,\"module\":\"\\udc00\",\"items\":[\"a\"]}"))
                .extracting(Problem.Fault::where)
                .containsExactly("/\ufffd", "/module");
    }

    /** For any body, the reader agrees with openapi.json and the schema of the options. */
    @Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
    void readerAcceptsSameBodiesAsSchema(@ForAll("bodies") JsonObject body) {
        boolean accepted = problem(body.toBuffer()) == null;

        assertThat(accepted).as(body.encode()).isEqualTo(contractAccepts(body));
        Statistics.label("accepted").collect(accepted).coverage(share -> share.check(true)
                .percentage(percent -> percent > 5));
    }

    @Property(tries = 500)
    void anyBytesAreReadOrRejected(@ForAll byte[] bytes) {
        assertThat(problem(Buffer.buffer(bytes))).isNotNull();
    }

    @Property(tries = 1000, edgeCases = EdgeCasesMode.NONE)
    void truncatedBodyIsMalformed(@ForAll("bodies") JsonObject body, @ForAll double part) {
        byte[] whole = body.toBuffer().getBytes();
        int length = (int) (Math.abs(part % 1) * whole.length);

        // parsing stops after a hundred faults
        assertThat(problem(Buffer.buffer(whole).getBuffer(0, length))).isNotNull();
    }

    @Property(tries = 1000)
    void lengthsAreThoseOfUtf8(@ForAll String text) {
        boolean whole = StandardCharsets.UTF_8.newEncoder().canEncode(text);

        assertThat(JobRequestDraft.utf8Length(text))
                .isEqualTo(whole ? text.getBytes(StandardCharsets.UTF_8).length : -1);
    }

    @Provide
    Arbitrary<JsonObject> bodies() {
        Arbitrary<Object> module =
                mostly(Arbitraries.of("http-status", "ssl-certificate"), Arbitraries.of("", "no", 1, true));
        Arbitrary<Object> item = mostly(
                Arbitraries.strings().ascii().ofMaxLength(8),
                Arbitraries.of("x".repeat(2048), "x".repeat(2049), 1, 1.5, false, new JsonArray()));
        Arbitrary<Object> items = often(
                item.list().ofMaxSize(6).map(JsonArray::new),
                Arbitraries.of(499, 500, 501)
                        .map(count -> new JsonArray(new ArrayList<>(Collections.nCopies(count, "a")))),
                Arbitraries.of("a", 1, new JsonObject()));
        Arbitrary<String> names = Arbitraries.of(MODULES.descriptions().stream()
                .flatMap(module1 -> module1.options().stream())
                .map(OptionDescription::name)
                .distinct()
                .toList());
        Arbitrary<Object> values = often(
                Arbitraries.of(0, 1, 1000, 5000, 30000, 30001, 5000.0, 0.5, -1, Long.MAX_VALUE),
                Arbitraries.of(true, false, "auto", "4", "get", "head", "5000", "true", "a b", ""),
                Arbitraries.of(new JsonArray(), new JsonArray().add("a"), new JsonObject()));
        Arbitrary<Object> options = mostly(
                Arbitraries.maps(often(names, Arbitraries.of("fresh", "nope")).map(String.class::cast), values)
                        .ofMaxSize(2)
                        .map(JsonObject::new),
                Arbitraries.of(new JsonArray(), "a", 1, true));
        Arbitrary<Object> name = mostly(
                Arbitraries.of("n", "n".repeat(100), "ö😀 ~"),
                Arbitraries.of("", "n".repeat(101), "a\nb", "\u007f", 1));
        Arbitrary<Object> policy =
                mostly(Arbitraries.of("p", "mozilla-modern"), Arbitraries.of("", 1, new JsonArray()));
        Arbitrary<Object> expectation = mostly(
                Arbitraries.of("true", "😀".repeat(500)), Arbitraries.of("", "x".repeat(501), 1, new JsonArray()));
        Arbitrary<Object> expect = often(
                expectation.list().ofMaxSize(3).map(JsonArray::new),
                Arbitraries.of(20, 21).map(count -> new JsonArray(new ArrayList<>(Collections.nCopies(count, "true")))),
                Arbitraries.of("a", 1, new JsonObject()));
        return Combinators.combine(
                        module.injectNull(0.05),
                        items.injectNull(0.05),
                        options.injectNull(0.05),
                        name.injectNull(0.05),
                        policy.injectNull(0.05),
                        expect.injectNull(0.05),
                        Arbitraries.integers().between(0, 99))
                .as((m, i, o, n, p, e, shape) -> {
                    JsonObject body = new JsonObject();
                    if (shape % 10 != 0) {
                        body.put("module", m);
                    }
                    if (shape % 10 != 1) {
                        body.put("items", i);
                    }
                    if (shape % 4 == 3) {
                        body.put("name", n);
                    }
                    if (shape % 8 == 5) {
                        body.put("policy", p).put("expect", e);
                    }
                    if (shape % 2 == 0) {
                        body.put("options", o);
                    }
                    if (shape == 99) {
                        body.put("else", 1);
                    }
                    return body;
                });
    }

    private static Arbitrary<Object> often(Arbitrary<?>... kinds) {
        return Arbitraries.oneOf(java.util.Arrays.asList(kinds)).map(Object.class::cast);
    }

    private static Arbitrary<Object> mostly(Arbitrary<?> good, Arbitrary<?> bad) {
        return Arbitraries.frequencyOf(
                        net.jqwik.api.Tuple.of(9, good.map(Object.class::cast)),
                        net.jqwik.api.Tuple.of(1, bad.map(Object.class::cast)))
                .map(Object.class::cast);
    }

    private static boolean contractAccepts(JsonObject body) {
        if (!Boolean.TRUE.equals(CONTRACT.validate(body).getValid())) {
            return false;
        }
        var module = MODULES.find(body.getString("module"));
        JsonObject options = body.getJsonObject("options", new JsonObject());
        // the patterns of an IP address and of a host accept more
        boolean addresses =
                (!(options.getValue("client_ip") instanceof String text) || IpAddressText.parse(text) != null)
                        && (!(options.getValue("connect_to") instanceof String host) || isHost(host));
        return module != null
                && addresses
                && Boolean.TRUE.equals(validator(ToolSchemas.options(module.description()))
                        .validate(options)
                        .getValid());
    }

    private static boolean isHost(String text) {
        try {
            InetAddress literal = IpAddressText.parse(text);
            String name = literal == null ? TargetParser.domainName(text).text() : IpAddressText.format(literal);
            return TARGETS.refusal(new Host(name, literal)) == null;
        } catch (InvalidTargetException invalid) {
            return false;
        }
    }

    private static JobRequestReader reader(JsonObject contract) {
        return new JobRequestReader(MODULES, JobRequestSchema.of(contract), TARGETS);
    }

    private static JsonObject schemaOf(JsonObject contract) {
        return contract.getJsonObject("components").getJsonObject("schemas").getJsonObject("JobRequest");
    }

    private static JsonObject contract() {
        try (InputStream in = JobRequestReader.class.getResourceAsStream("/openapi.json")) {
            return new JsonObject(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException broken) {
            throw new java.io.UncheckedIOException(broken);
        }
    }

    private static Validator validator(JsonObject schema) {
        return Validator.create(
                JsonSchema.of(schema),
                new JsonSchemaOptions()
                        .setBaseUri("https://plumbline.invalid/")
                        .setDraft(Draft.DRAFT202012)
                        .setOutputFormat(OutputFormat.Flag));
    }

    @Test
    void contractContainsTheLimits() {
        JsonObject contract = contract();
        JsonObject schema = schemaOf(contract);
        schema.getJsonArray("required").add("name");
        JsonObject members = schema.getJsonObject("properties");
        JsonObject items = members.getJsonObject("items");
        items.put("minItems", 2).put("maxItems", 3).getJsonObject("items").put("maxLength", 5);
        members.getJsonObject("name").put("minLength", 2).put("maxLength", 4).put("pattern", "^[a-z]+$");
        JobRequestReader reader = reader(contract);

        assertThat(reader.read(Buffer.buffer("{'module':'hsts','items':['a','b'],'name':'abcd'}".replace('\'', '"')))
                        .items())
                .containsExactly("a", "b");
        assertThat(details(reader, "{'module':'hsts','items':['a']}"))
                .containsExactly("has 1 lines; a job must have 2 to 3 lines", "is missing");
        assertThat(details(reader, "{'module':'hsts','items':['a','b','c','123456'],'name':'a'}"))
                .containsExactly(
                        "must have at most 5 bytes in UTF-8",
                        "has 4 lines; the maximum is 3; create several jobs",
                        "must have at least 2 characters");
        assertThat(details(reader, "{'module':'hsts','items':['a','b'],'name':'abcde'}"))
                .containsExactly("must have at most 4 characters");
        assertThat(details(reader, "{'module':'hsts','items':['a','b'],'name':'a1'}"))
                .containsExactly("must match the pattern ^[a-z]+$");
    }

    @Test
    void contractWithAnUnsupportedMemberIsRejected() {
        JsonObject contract = contract();
        schemaOf(contract).getJsonObject("properties").put("priority", new JsonObject().put("type", "integer"));

        assertThatThrownBy(() -> JobRequestSchema.of(contract))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("priority (integer)");
    }

    private static List<String> details(JobRequestReader reader, String body) {
        ProblemException rejected =
                catchThrowableOfType(ProblemException.class, () -> reader.read(Buffer.buffer(body.replace('\'', '"'))));
        return rejected.problem().faults().stream().map(Problem.Fault::detail).toList();
    }

    private static String lines(int count) {
        return "{\"module\":\"http-status\",\"items\":[\"a\"" + ",\"a\"".repeat(count - 1) + "]}";
    }

    private static JobRequestReader.JobRequest read(String body) {
        return READER.read(Buffer.buffer(body));
    }

    private static List<Problem.Fault> faults(String body) {
        Problem problem = problem(Buffer.buffer(body));
        assertThat(problem).isNotNull().returns("invalid-job", Problem::code);
        return problem.faults();
    }

    private static String malformed(byte[] body) {
        Problem problem = problem(Buffer.buffer(body));
        assertThat(problem).isNotNull().returns("bad-request", Problem::code);
        return problem.detail();
    }

    private static @Nullable Problem problem(Buffer body) {
        try {
            READER.read(body);
            return null;
        } catch (ProblemException e) {
            return e.problem();
        }
    }
}
