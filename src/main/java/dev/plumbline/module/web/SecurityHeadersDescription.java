package dev.plumbline.module.web;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.InputType;
import dev.plumbline.check.ModuleDescription;

/** The words of {@link SecurityHeaders}. */
final class SecurityHeadersDescription {
    static final ModuleDescription DESCRIPTION = ModuleDescription.of(
                    "security-headers", "Security headers", InputType.URL)
            .summary(
                    "Grades the headers by which a page asks browsers to protect its visitors, and says what to send instead.")
            .category("web")
            .example("https://example.com/", "https://example.com/page")
            .connects()
            .fields(
                    FieldDescription.string(
                                    "grade",
                                    "Grade",
                                    "A+ for a score of 100, A from 90, B from 75, C from 60, D from 40, E from 20, else F.")
                            .oneOf("A+", "A", "B", "C", "D", "E", "F"),
                    FieldDescription.integer(
                            "score",
                            "Score",
                            "100 less what the findings cost, and never below 0: "
                                    + "no encryption 50; no content security policy, or one that only reports, 25; no valid HTTPS by default (HSTS), no limit on framing 20 each; "
                                    + "a type that may be guessed, an unsafe referrer policy, a short HSTS 10 each; no referrer, permissions or opener policy, software that is told, any other warning 5 each. "
                                    + "Of a content security policy each way to run any script costs 20, a host that it trusts and others share 10, any other warning 5, all of them together at most 25. "
                                    + "Other hints cost nothing."),
                    FieldDescription.object(
                                    "hsts",
                                    "HTTPS only",
                                    "What Strict-Transport-Security (HSTS) says; null where it is not sent.",
                                    FieldDescription.integer(
                                                    "max_age",
                                                    "For how long",
                                                    "For how many seconds browsers come by https only; null where the header is not valid.")
                                            .orNull(),
                                    FieldDescription.bool(
                                            "include_subdomains",
                                            "Names below too",
                                            "Whether it holds for all names below this one."),
                                    FieldDescription.bool(
                                            "preload",
                                            "Preload",
                                            "Whether it asks for a place on the browsers' built-in lists."))
                            .orNull(),
                    FieldDescription.object(
                                    "csp",
                                    "Content security policy",
                                    "What Content-Security-Policy says, or its report-only form where there is no other; null where neither is sent.",
                                    FieldDescription.string(
                                            "policy",
                                            "Policy",
                                            "The policies as they were sent, with commas between them."),
                                    FieldDescription.bool(
                                            "report_only",
                                            "Reports only",
                                            "Whether it stops nothing and only reports."),
                                    FieldDescription.table(
                                            "directives",
                                            "Directives",
                                            "What it limits, in the order in which it was written; of several policies, one after the other.",
                                            FieldDescription.string(
                                                    "name", "Directive", "What is limited, for example script-src."),
                                            FieldDescription.array(
                                                    "values", "To", "What it is limited to.", FieldType.STRING)),
                                    FieldDescription.table(
                                            "weaknesses",
                                            "Weaknesses",
                                            "What it leaves open.",
                                            FieldDescription.string(
                                                    "code", "Finding", "The code of the finding that explains it."),
                                            FieldDescription.string(
                                                    "directive", "Directive", "Where it is, or ought to be closed."),
                                            FieldDescription.string(
                                                    "value",
                                                    "Value",
                                                    "What opens it; empty where something is missing.")))
                            .orNull(),
                    FieldDescription.string(
                                    "x_frame_options",
                                    "Framing",
                                    "X-Frame-Options as it was sent: who may show the page in a frame.")
                            .orNull(),
                    FieldDescription.string(
                                    "x_content_type_options",
                                    "No guessing of types",
                                    "X-Content-Type-Options as it was sent: whether browsers may guess what a file is.")
                            .orNull(),
                    FieldDescription.string(
                                    "referrer_policy",
                                    "Referrer policy",
                                    "Referrer-Policy as it was sent: what other sites are told about where people come from.")
                            .orNull(),
                    FieldDescription.string(
                                    "permissions_policy",
                                    "Permissions policy",
                                    "Permissions-Policy as it was sent: which features, as the camera, may be used.")
                            .orNull(),
                    FieldDescription.string(
                                    "coop",
                                    "Opener policy",
                                    "Cross-Origin-Opener-Policy as it was sent: whether windows of other sites keep a hold on this one.")
                            .orNull(),
                    FieldDescription.string(
                                    "coep",
                                    "Embedder policy",
                                    "Cross-Origin-Embedder-Policy as it was sent: whether what the page loads has to agree to it.")
                            .orNull(),
                    FieldDescription.string(
                                    "corp",
                                    "Resource policy",
                                    "Cross-Origin-Resource-Policy as it was sent: who may load this as a part of a page.")
                            .orNull(),
                    FieldDescription.array(
                            "missing",
                            "Missing",
                            "The names of the headers above whose absence costs points.",
                            FieldType.STRING),
                    FieldDescription.array(
                            "leaking", "Leaking", "Headers that tell which software answers.", FieldType.STRING))
            .findings(SecurityHeadersFindings.codes())
            .findings(RedirectFindings.CODE)
            .build();

    private SecurityHeadersDescription() {}
}
