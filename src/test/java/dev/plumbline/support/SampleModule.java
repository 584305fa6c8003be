package dev.plumbline.support;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.result.Consequence;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.InputType;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** A module with every type of field, every kind of option and hostile text. */
public final class SampleModule implements ModuleDefinition<String> {
    static final String NAME = "sample-module";

    /** Markup and control, bidirectional and invisible characters. */
    public static final String HOSTILE =
            "</dd></title><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202Egnp.exe\u2066"
                    + "\u0007\u200B${1+1}&amp;";

    static final String SCRIPT_LINK = "javascript:alert(3)";
    public static final String GOOD_LINK = "https://example.com/?a=\u00e9&b='1'";

    private static final FindingCode FAILURE = new FindingCode(
            "sample_fail",
            "Sample failure",
            Level.FAIL,
            "text",
            "The sample fails.",
            "Fix the sample.",
            "RFC 2606 section 2",
            0,
            Consequence.RECOMMENDED,
            List.of());
    private static final FindingCode WARNING = new FindingCode(
            "sample_warning",
            "Sample warning",
            Level.WARN,
            null,
            "The sample has a warning.",
            "Check the sample.",
            null,
            0,
            Consequence.RECOMMENDED,
            List.of());
    private static final FindingCode INFO = new FindingCode(
            "sample_info",
            "Sample information",
            Level.INFO,
            "flag",
            "The sample has information.",
            "",
            null,
            0,
            Consequence.RECOMMENDED,
            List.of());

    private static final ModuleDescription DESCRIPTION = ModuleDescriptionBuilder.of(
                    NAME, "Sample tool", InputType.DOMAIN)
            .summary("Has every field type and option type.")
            .category("samples")
            .example("sample.example", "any domain")
            .options(
                    OptionDescription.bool("deep", "Deep scan", "Whether to run a deep scan.", true),
                    OptionDescription.integer("wait_seconds", "Wait time", "The time to wait.", 7, 1, 90),
                    OptionDescription.choice("color", "Color", "The color.", "red", "green", "blue"),
                    Descriptions.textOption("label", "Label", "The label.", Pattern.compile("[a-z]{1,9}"), 9),
                    Descriptions.listOption(
                            "kinds", "Kinds", "The kinds.", List.of("A", "MX"), Pattern.compile("[A-Z]+"), 9, 5))
            .fields(
                    Descriptions.string("text", "Sample text", "Text of the target."),
                    Descriptions.oneOf(Descriptions.string("kind", "Sample kind", "A kind."), "one", "other"),
                    Descriptions.string("lines", "Sample lines", "Several lines."),
                    Descriptions.string("link", "Sample link", "A link."),
                    Descriptions.string("script_link", "Script link", "A URL that is not a link."),
                    Descriptions.integer("hit_count", "Sample count", "A count."),
                    Descriptions.integer("size_bytes", "Sample size", "A size."),
                    Descriptions.integer("left_days", "Sample days", "Days."),
                    Descriptions.number("share_percent", "Sample share", "A share."),
                    Descriptions.number("dns_ms", "Lookup", "The lookup."),
                    Descriptions.number("connect_ms", "Connection", "The connection."),
                    Descriptions.number("total_ms", "Total", "The total."),
                    Descriptions.bool("flag", "Sample flag", "A flag."),
                    Descriptions.orNull(Descriptions.bool("nothing", "Sample null", "Always null.")),
                    Descriptions.time("sampled_at", "Sampled at", "A time."),
                    Descriptions.array("names", "Sample names", "Names.", FieldType.STRING),
                    Descriptions.array("numbers", "Sample numbers", "Numbers.", FieldType.INTEGER),
                    Descriptions.table(
                            "rows",
                            "Sample rows",
                            "Rows.",
                            Descriptions.string("name", "Row name", "A name."),
                            Descriptions.time("at", "Row time", "A time.")),
                    Descriptions.table(
                            "steps",
                            "Sample steps",
                            "Steps.",
                            Descriptions.string("url", "URL", "The URL."),
                            Descriptions.integer("status", "Status", "The status."),
                            Descriptions.integer("time_ms", "Time", "The duration.")),
                    Descriptions.table(
                            "certificates",
                            "Sample certificates",
                            "Certificates.",
                            Descriptions.string("subject", "Subject", "The subject."),
                            Descriptions.string("issuer", "Issuer", "The issuer."),
                            Descriptions.string("serial", "Serial", "The serial number.")),
                    Descriptions.object(
                            "object", "Sample object", "An object.", Descriptions.string("part", "Part", "A part.")),
                    Descriptions.oneOf(Descriptions.string("sign", "Sample sign", "A sign."), "-", "r", "word"),
                    Descriptions.string("dot", "Sample dot", "A dot."),
                    Descriptions.integer("pause", "Sample pause", "Seconds to wait."),
                    Descriptions.number("delay", "Sample delay", "Seconds between the steps."),
                    Descriptions.object("records", "Sample records", "Rows by kind."),
                    Descriptions.object("tree", "Sample tree", "Nested rows."),
                    Descriptions.object("anything", "Anything", "Any value."))
            .findings(FAILURE, WARNING, INFO)
            .build();

    /** Starts a service that includes this module and trusts proxies on loopback. */
    public static ServiceUnderTest startBehindProxy(Path folder, TestDatabase database) {
        return withModules(
                folder, () -> ServiceUnderTest.start(database.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1")));
    }

    /** Runs code that loads modules, including this one. */
    public static <T> T withModules(Path folder, Supplier<T> start) {
        return withModules(folder, List.of(SampleModule.class), start);
    }

    static <T> T withModules(Path folder, List<Class<? extends ModuleDefinition<?>>> modules, Supplier<T> start) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            Path services = Files.createDirectories(folder.resolve("META-INF/services"));
            Files.write(
                    services.resolve(ModuleDefinition.class.getName()),
                    modules.stream().map(Class::getName).toList());
            thread.setContextClassLoader(
                    new URLClassLoader(new URL[] {folder.toUri().toURL()}, before));
            return start.get();
        } catch (MalformedURLException impossible) {
            throw new IllegalStateException(impossible);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Override
    public ModuleDescription description() {
        return DESCRIPTION;
    }

    @Override
    public Future<String> collect(Target target, CheckContext context) {
        return Future.succeededFuture(target.text());
    }

    /** With undeclared types. */
    private static Map<String, Object> records() {
        Map<String, Object> wide = new LinkedHashMap<>();
        wide.put("name", "bad.example");
        wide.put("ttl_seconds", 60);
        wide.put("data", "a b c");
        wide.put("serial", 2026112101);
        wide.put("mail_name", "hostmaster");
        wide.put("size_bytes", 2000);
        Map<String, Object> records = new LinkedHashMap<>();
        records.put("A", List.of(record("192.0.2.1", 3600), record("a".repeat(255), 5)));
        records.put("SOA", List.of(wide));
        records.put("private_type", List.of(Map.of(HOSTILE, HOSTILE)));
        return records;
    }

    private static Map<String, Object> record(String data, int ttl) {
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("name", "bad.example");
        record.put("ttl_seconds", ttl);
        record.put("note", null);
        record.put("data", data);
        return record;
    }

    private static Map<String, Object> tree() {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("end", "here");
        for (int depth = 0; depth < 9; depth++) {
            Map<String, Object> leaf = new LinkedHashMap<>();
            leaf.put("term", HOSTILE);
            leaf.put("note", null);
            leaf.put("lookup_count", 1234);
            Map<String, Object> branch = new LinkedHashMap<>();
            branch.put("term", "include:a-rather-long-name.of-a-server.bad.example");
            branch.put("tree", tree);
            branch.put("lookup_count", depth);
            Map<String, Object> above = new LinkedHashMap<>();
            above.put("domain", "bad.example");
            above.put("terms", List.of(leaf, branch));
            tree = above;
        }
        return tree;
    }

    @Override
    public Evaluation evaluate(String target, Options options) {
        Map<String, Object> anything = new LinkedHashMap<>();
        anything.put(HOSTILE, List.of(HOSTILE, 5, true));
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("text", HOSTILE);
        fields.put("kind", "other");
        fields.put("lines", "first\nsecond " + HOSTILE);
        fields.put("link", GOOD_LINK);
        fields.put("script_link", SCRIPT_LINK);
        fields.put("hit_count", 1234567);
        fields.put("size_bytes", 1536000);
        fields.put("left_days", 1);
        fields.put("share_percent", 12.5);
        fields.put("dns_ms", 20.0);
        fields.put("connect_ms", 60.0);
        fields.put("total_ms", 1250.0);
        fields.put("flag", true);
        fields.put("sampled_at", Instant.parse("2026-02-03T04:05:06Z"));
        fields.put("names", Arrays.asList(HOSTILE, "plain.example", null));
        fields.put("numbers", List.of(1, 2));
        fields.put("rows", List.of(Map.of("name", HOSTILE, "at", Instant.parse("2026-03-04T05:06:07Z"))));
        fields.put(
                "steps",
                List.of(
                        Map.of("url", "http://a.example/", "status", 301, "time_ms", 30),
                        Map.of("url", "javascript:alert(4)", "status", 302, "time_ms", 10)));
        fields.put(
                "certificates",
                List.of(
                        Map.of("subject", "CN=" + HOSTILE, "issuer", "CN=Issuer", "serial", "01"),
                        Map.of("subject", "CN=Issuer", "issuer", "CN=Root", "serial", "02")));
        fields.put("object", Map.of("part", HOSTILE));
        fields.put("anything", anything);
        fields.put("sign", "-");
        fields.put("dot", ".");
        fields.put("pause", 31_536_000);
        fields.put("delay", 2.5);
        fields.put("records", records());
        fields.put("tree", tree());
        if (target.startsWith("invalid.")) {
            fields.put("kind", HOSTILE);
            fields.put("sampled_at", HOSTILE);
            fields.put("dns_ms", 40.0);
            fields.put("link", "https://example.com/\u202egnp.exe");
        }
        if (target.startsWith("good.")) {
            fields.put("sampled_at", Instant.parse("2027-03-04T05:06:07Z"));
        }
        List<Finding> findings = target.startsWith("good.")
                ? List.of(finding(INFO, INFO.message()))
                : List.of(
                        finding(INFO, INFO.message()),
                        finding(WARNING, WARNING.message()),
                        finding(FAILURE, "The text is " + HOSTILE));
        return new Evaluation(new LinkedHashMap<>(fields), findings, null);
    }

    private static Finding finding(FindingCode code, String message) {
        return new Finding(code.level(), code.code(), code.field(), message, code.action(), code.reference());
    }
}
