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
    static final String NAME = "made-up";

    /** Markup and control, bidirectional and invisible characters. */
    public static final String HOSTILE =
            "</dd></title><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202Egnp.exe\u2066"
                    + "\u0007\u200B${1+1}&amp;";

    static final String SCRIPT_LINK = "javascript:alert(3)";
    public static final String GOOD_LINK = "https://example.com/?a=\u00e9&b='1'";

    private static final FindingCode BAD = new FindingCode(
            "made_bad",
            "Made bad",
            Level.FAIL,
            "text",
            "It is bad.",
            "Make it good.",
            "RFC 2606 section 2",
            0,
            Consequence.RECOMMENDED,
            List.of());
    private static final FindingCode DUBIOUS = new FindingCode(
            "made_dubious",
            "Made dubious",
            Level.WARN,
            null,
            "It is dubious.",
            "Look again.",
            null,
            0,
            Consequence.RECOMMENDED,
            List.of());
    private static final FindingCode NOTED = new FindingCode(
            "made_note",
            "Made note",
            Level.INFO,
            "flag",
            "It is noted.",
            "",
            null,
            0,
            Consequence.RECOMMENDED,
            List.of());

    private static final ModuleDescription DESCRIPTION = ModuleDescriptionBuilder.of(
                    NAME, "Made-up tool", InputType.DOMAIN)
            .summary("Tells nothing of use, in every way there is.")
            .category("invented")
            .example("made-up.example", "a domain of your own")
            .options(
                    OptionDescription.bool("deep", "Look deep", "Whether to look deep.", true),
                    OptionDescription.integer("wait_seconds", "Wait", "How long to wait.", 7, 1, 90),
                    OptionDescription.choice("colour", "Colour", "Which colour.", "red", "green", "blue"),
                    Descriptions.textOption("label", "Label", "What to call it.", Pattern.compile("[a-z]{1,9}"), 9),
                    Descriptions.listOption(
                            "kinds", "Kinds", "Which kinds.", List.of("A", "MX"), Pattern.compile("[A-Z]+"), 9, 5))
            .fields(
                    Descriptions.string("text", "Some text", "Text of the target."),
                    Descriptions.oneOf(Descriptions.string("kind", "Some kind", "A kind."), "one", "other"),
                    Descriptions.string("lines", "Some lines", "Several lines."),
                    Descriptions.string("link", "Some link", "A link."),
                    Descriptions.string("script_link", "No link", "No link either."),
                    Descriptions.integer("hit_count", "Some count", "A count."),
                    Descriptions.integer("size_bytes", "Some size", "A size."),
                    Descriptions.integer("left_days", "Some days", "Days."),
                    Descriptions.number("share_percent", "Some share", "A share."),
                    Descriptions.number("dns_ms", "Look-up", "The look-up."),
                    Descriptions.number("connect_ms", "Connection", "The connection."),
                    Descriptions.number("total_ms", "Altogether", "All of it."),
                    Descriptions.bool("flag", "Some flag", "A flag."),
                    Descriptions.orNull(Descriptions.bool("nothing", "Some nothing", "Nothing.")),
                    Descriptions.time("moment", "Some moment", "A moment."),
                    Descriptions.array("names", "Some names", "Names.", FieldType.STRING),
                    Descriptions.array("numbers", "Some numbers", "Numbers.", FieldType.INTEGER),
                    Descriptions.table(
                            "rows",
                            "Some rows",
                            "Rows.",
                            Descriptions.string("name", "Row name", "A name."),
                            Descriptions.time("at", "Row time", "A time.")),
                    Descriptions.table(
                            "steps",
                            "Some steps",
                            "Steps.",
                            Descriptions.string("url", "URL", "Where."),
                            Descriptions.integer("status", "Status", "What."),
                            Descriptions.integer("time_ms", "Time", "How long.")),
                    Descriptions.table(
                            "papers",
                            "Some papers",
                            "Papers.",
                            Descriptions.string("subject", "Subject", "Whose."),
                            Descriptions.string("issuer", "Issuer", "Whose word."),
                            Descriptions.string("serial", "Serial", "Its number.")),
                    Descriptions.object(
                            "thing", "Some thing", "A thing.", Descriptions.string("part", "Part", "A part.")),
                    Descriptions.oneOf(Descriptions.string("sign", "Some sign", "A sign."), "-", "r", "word"),
                    Descriptions.string("dot", "Some dot", "A dot."),
                    Descriptions.integer("pause", "Some pause", "How many seconds to wait."),
                    Descriptions.number("delay", "Some delay", "Seconds between the steps."),
                    Descriptions.object("records", "Some records", "Rows by kind."),
                    Descriptions.object("tree", "Some tree", "Rows that hold rows."),
                    Descriptions.object("anything", "Anything", "Whatever there is."))
            .findings(BAD, DUBIOUS, NOTED)
            .build();

    /** Starts a service that includes this module and trusts proxies on loopback. */
    public static ServiceUnderTest servedBehindAProxy(Path folder, TestDatabase database) {
        return among(folder, () -> ServiceUnderTest.start(database.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1")));
    }

    /** Runs code that loads modules, including this one. */
    public static <T> T among(Path folder, Supplier<T> start) {
        return among(folder, List.of(SampleModule.class), start);
    }

    static <T> T among(Path folder, List<Class<? extends ModuleDefinition<?>>> modules, Supplier<T> start) {
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
        wide.put("mail_box", "who");
        wide.put("size_bytes", 2000);
        Map<String, Object> records = new LinkedHashMap<>();
        records.put("A", List.of(record("192.0.2.1", 3600), record("a".repeat(255), 5)));
        records.put("SOA", List.of(wide));
        records.put("kind_of_mine", List.of(Map.of(HOSTILE, HOSTILE)));
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
            leaf.put("look_up_count", 1234);
            Map<String, Object> branch = new LinkedHashMap<>();
            branch.put("term", "include:a-rather-long-name.of-a-server.bad.example");
            branch.put("tree", tree);
            branch.put("look_up_count", depth);
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
        fields.put("moment", Instant.parse("2026-02-03T04:05:06Z"));
        fields.put("names", Arrays.asList(HOSTILE, "plain.example", null));
        fields.put("numbers", List.of(1, 2));
        fields.put("rows", List.of(Map.of("name", HOSTILE, "at", Instant.parse("2026-03-04T05:06:07Z"))));
        fields.put(
                "steps",
                List.of(
                        Map.of("url", "http://a.example/", "status", 301, "time_ms", 30),
                        Map.of("url", "javascript:alert(4)", "status", 302, "time_ms", 10)));
        fields.put(
                "papers",
                List.of(
                        Map.of("subject", "CN=" + HOSTILE, "issuer", "CN=Maker", "serial", "01"),
                        Map.of("subject", "CN=Maker", "issuer", "CN=Root", "serial", "02")));
        fields.put("thing", Map.of("part", HOSTILE));
        fields.put("anything", anything);
        fields.put("sign", "-");
        fields.put("dot", ".");
        fields.put("pause", 31_536_000);
        fields.put("delay", 2.5);
        fields.put("records", records());
        fields.put("tree", tree());
        if (target.startsWith("odd.")) {
            fields.put("kind", HOSTILE);
            fields.put("moment", HOSTILE);
            fields.put("dns_ms", 40.0);
            fields.put("link", "https://example.com/\u202egnp.exe");
        }
        if (target.startsWith("good.")) {
            fields.put("moment", Instant.parse("2027-03-04T05:06:07Z"));
        }
        List<Finding> findings = target.startsWith("good.")
                ? List.of(finding(NOTED, NOTED.message()))
                : List.of(
                        finding(NOTED, NOTED.message()),
                        finding(DUBIOUS, DUBIOUS.message()),
                        finding(BAD, "It says " + HOSTILE));
        return new Evaluation(new LinkedHashMap<>(fields), findings, null);
    }

    private static Finding finding(FindingCode code, String message) {
        return new Finding(code.level(), code.code(), code.field(), message, code.action(), code.reference());
    }
}
