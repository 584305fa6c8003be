package dev.plumbline.policy;

import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A module with fields of all types, and a result of it. */
final class ExpressionSample {
    static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("sample", "Sample", InputType.DOMAIN)
            .fields(
                    Descriptions.integer("status", "Status", "A number."),
                    Descriptions.integer("days_remaining", "Days", "A number that is null in the sample."),
                    Descriptions.number("score", "Score", "A number with decimals."),
                    Descriptions.string("policy", "Policy", "A text."),
                    Descriptions.bool("open", "Open", "A flag."),
                    Descriptions.time("not_after", "Until", "A time."),
                    Descriptions.array("versions", "Versions", "Texts.", FieldType.STRING),
                    Descriptions.table(
                            "records",
                            "Records",
                            "Rows.",
                            Descriptions.string("host", "Host", "A name."),
                            Descriptions.integer("ttl", "TTL", "Seconds."),
                            Descriptions.time("seen", "Seen", "A time.")),
                    Descriptions.object("tree", "Tree", "Any members."),
                    Descriptions.object(
                            "area", "Area", "Declared members.", Descriptions.integer("points", "Points", "A number.")),
                    Descriptions.bool("loop", "Loop", "A reserved word."),
                    Descriptions.integer("bytes", "Bytes", "The name of a type."))
            .build();

    /** The values as JSON has them. {@code days_remaining} and members of the second record are null. */
    static final Map<String, Object> FIELDS = fields();

    static final ExpressionVariables RESULT =
            new ExpressionVariables(FIELDS, "warn", null, List.of("tls10_enabled", "slow"));

    private ExpressionSample() {}

    private static Map<String, Object> fields() {
        Map<String, Object> second = new HashMap<>();
        second.put("host", "b.example");
        second.put("ttl", null);
        second.put("seen", "2026-11-21T00:00:00.000Z");
        Map<String, Object> fields = new HashMap<>();
        fields.put("status", 200);
        fields.put("days_remaining", null);
        fields.put("score", 75.5);
        fields.put("policy", "quarantine");
        fields.put("open", true);
        fields.put("not_after", "2027-01-01T00:00:00.000Z");
        fields.put("versions", List.of("TLSv1.2", "TLSv1.3"));
        fields.put(
                "records", List.of(Map.of("host", "a.example", "ttl", 60, "seen", "2026-11-20T00:00:00.000Z"), second));
        fields.put("tree", Map.of("name", "root", "count", 3, "ratio", 0.5, "items", List.of(1, 2.0, "x")));
        fields.put("area", Map.of("points", 10));
        fields.put("loop", false);
        fields.put("bytes", 1024);
        return fields;
    }
}
