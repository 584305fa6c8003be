package dev.plumbline.module.mail;

import static dev.plumbline.check.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.FindingCollector;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.module.mail.SpfEvaluator.Result;
import dev.plumbline.module.mail.SpfRecord.Kind;
import dev.plumbline.module.mail.SpfRecord.Term;
import dev.plumbline.module.mail.SpfTree.Node;
import dev.plumbline.module.mail.SpfTree.Outcome;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The SPF record of a domain and the limits of its evaluation (RFC 7208). */
@AutoService(CheckModule.class)
public final class Spf implements CheckModule<Spf.Evidence, Spf.Report, Spf.Findings> {
    private static final int MAX_LOOKUPS = 10;
    private static final int MANY_LOOKUPS = 8;
    private static final int MAX_VOID_LOOKUPS = 2;
    private static final int LONG_RECORD = 450;
    private static final int MAX_ROWS = 1_000;
    private static final int MAX_ERRORS = 100;
    private static final int WIDE_IPV4 = 8;
    private static final int WIDE_IPV6 = 16;

    /**
     * The fields of the report.
     *
     * @param valid null only if there is an error, as for every field that is not declared nullable
     */
    public record Report(
            @Nullable String record,
            Boolean valid,
            @Nullable Result result,
            @Nullable String matched,
            @Nullable String allQualifier,
            int lookupCount,
            int voidLookupCount,
            boolean multiple,
            Map<String, ?> tree,
            int ip4Count,
            List<String> errors) {}

    /**
     * The records, and the evaluation for the client of the options.
     *
     * @param outcome null without a client
     */
    public record Evidence(SpfTree tree, SpfEvaluator.@Nullable Outcome outcome) {}

    /** The findings. */
    public interface Findings extends FindingCollector {
        void noRecord(String domain);

        void severalRecords(List<String> records);

        void syntaxError(Collection<String> terms);

        void tooManyLookups(int count);

        void manyLookups(int count);

        void tooManyVoidLookups(int count);

        void voidLookup(Collection<String> terms);

        void tooManyMx(Collection<String> terms);

        void includeWithoutRecord(Collection<String> terms);

        void includeWithSeveralRecords(Collection<String> terms);

        void includeLoop(Collection<String> terms);

        void passAll();

        void neutralAll();

        void noAll();

        void softfailAll();

        void termsAfterAll(List<String> terms);

        void redirectIgnored(List<String> terms);

        void ptrUsed(Collection<String> terms);

        void wideNetwork(Collection<String> terms);

        void lookupFailed(Collection<String> terms);

        void privateNamesHidden(Collection<String> terms);

        void longRecord(int length);

        void dependsOnMail(Collection<String> terms);

        void unknownModifier(Collection<String> terms);

        void repeatedTerm(Collection<String> terms);

        void lookalike(String text);

        void notAllFollowed(Collection<String> terms);

        void clientPass(String ip, String term);

        void clientFail(String ip, String term);

        void clientSoftfail(String ip, String term);

        void clientNeutral(String ip);

        void clientPermerror(String ip, String reason);

        void clientTemperror(String ip, String reason);

        void clientNotEvaluated(String ip, String reason);

        void clientIpMissing();

        void senderDomainDiffers(String sender, String domain);
    }

    /** The findings about terms. Each is reported once, with all its terms. */
    private enum TermFinding {
        SYNTAX_ERROR(true, Findings::syntaxError),
        INCLUDE_WITHOUT_RECORD(true, Findings::includeWithoutRecord),
        INCLUDE_WITH_SEVERAL_RECORDS(true, Findings::includeWithSeveralRecords),
        INCLUDE_LOOP(true, Findings::includeLoop),
        TOO_MANY_MX(true, Findings::tooManyMx),
        VOID_LOOKUP(false, Findings::voidLookup),
        LOOKUP_FAILED(false, Findings::lookupFailed),
        PRIVATE_NAME(false, Findings::privateNamesHidden),
        PTR(false, Findings::ptrUsed),
        WIDE_NETWORK(false, Findings::wideNetwork),
        MACRO(false, Findings::dependsOnMail),
        UNKNOWN_MODIFIER(false, Findings::unknownModifier),
        REPEATED_TERM(false, Findings::repeatedTerm),
        NOT_FOLLOWED(false, Findings::notAllFollowed);

        /** Whether receivers return permerror. */
        private final boolean permanent;

        private final BiConsumer<Findings, Collection<String>> method;

        TermFinding(boolean permanent, BiConsumer<Findings, Collection<String>> method) {
            this.permanent = permanent;
            this.method = method;
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String domain = target.text();
        SpfClient client = SpfClient.of(context.options(), domain);
        return SpfTree.collect(context, domain)
                .compose(tree -> client == null
                        ? Future.succeededFuture(new Evidence(tree, null))
                        : SpfCollector.evaluate(context, domain, client).map(outcome -> new Evidence(tree, outcome)));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        SpfTree tree = evidence.tree();
        Node root = tree.root();
        TreeEvaluation evaluation = new TreeEvaluation(root.domain());
        Map<String, ?> terms = evaluation.tree(root);
        String record = root.record();
        String all = allQualifier(root);
        int records = tree.records().size();
        if (records > 1) {
            evaluation.list(records + " SPF records are published");
            findings.severalRecords(
                    tree.records().stream().map(text -> '"' + text + '"').toList());
        } else if (record == null) {
            findings.noRecord(root.domain());
        }
        evaluation.termsByFinding.forEach((finding, affected) -> finding.method.accept(findings, affected));
        if (evaluation.lookups > MAX_LOOKUPS) {
            evaluation.list("The record requires " + evaluation.lookups + " DNS lookups; 10 are allowed");
            findings.tooManyLookups(evaluation.lookups);
        } else if (evaluation.lookups >= MANY_LOOKUPS) {
            findings.manyLookups(evaluation.lookups);
        }
        if (evaluation.voidLookups > MAX_VOID_LOOKUPS) {
            evaluation.list(evaluation.voidLookups + " lookups return no records; 2 are allowed");
            findings.tooManyVoidLookups(evaluation.voidLookups);
        }
        if (tree.lookalike() != null) {
            findings.lookalike(tree.lookalike());
        }
        if (record != null) {
            evaluateRecord(record, all, findings);
        }
        SpfEvaluator.Outcome outcome = evidence.outcome();
        evaluateClient(root.domain(), outcome, options, findings);
        boolean invalid = record == null
                || evaluation.invalid
                || evaluation.lookups > MAX_LOOKUPS
                || evaluation.voidLookups > MAX_VOID_LOOKUPS;
        CheckError error = invalid ? null : evaluation.failure;
        findings.error(error);
        return new Report(
                record,
                error == null ? !invalid : null,
                outcome == null ? null : outcome.result(),
                outcome == null ? null : outcome.matched(),
                all,
                evaluation.lookups,
                evaluation.voidLookups,
                records > 1,
                terms,
                evaluation.ip4,
                evaluation.errors);
    }

    private static void evaluateClient(
            String domain, SpfEvaluator.@Nullable Outcome outcome, Options options, Findings findings) {
        String ip = options.text("client_ip");
        String sender = options.text("sender");
        if (ip == null || outcome == null) {
            if (sender != null || options.text("helo") != null) {
                findings.clientIpMissing();
            }
            return;
        }
        String detail = outcome.detail() == null ? "" : outcome.detail();
        Result result = outcome.result();
        if (result == null) {
            findings.clientNotEvaluated(ip, detail);
            return;
        }
        switch (result) {
            case PASS -> findings.clientPass(ip, detail);
            case FAIL -> findings.clientFail(ip, detail);
            case SOFTFAIL -> findings.clientSoftfail(ip, detail);
            case NEUTRAL -> findings.clientNeutral(ip);
            case PERMERROR -> findings.clientPermerror(ip, detail);
            case TEMPERROR -> findings.clientTemperror(ip, detail);
            case NONE -> {}
        }
        if (sender != null && !sender.substring(sender.lastIndexOf('@') + 1).equalsIgnoreCase(domain)) {
            findings.senderDomainDiffers(sender, domain);
        }
    }

    private static void evaluateRecord(String text, @Nullable String all, Findings findings) {
        SpfRecord record = SpfRecord.parse(text);
        if (all == null) {
            if (record.terms().stream().noneMatch(term -> term.kind() == Kind.REDIRECT || term.error() != null)) {
                findings.noAll();
            }
        } else {
            switch (all) {
                case "+" -> findings.passAll();
                case "?" -> findings.neutralAll();
                case "~" -> findings.softfailAll();
                default -> {}
            }
        }
        List<String> redirects = new ArrayList<>();
        List<String> afterAll = new ArrayList<>();
        record.ignored().forEach(term -> (term.kind() == Kind.REDIRECT ? redirects : afterAll).add(term.text()));
        reportIfAny(redirects, findings::redirectIgnored);
        reportIfAny(afterAll, findings::termsAfterAll);
        if (text.length() > LONG_RECORD) {
            findings.longRecord(text.length());
        }
    }

    /** The qualifier of "all" in a record or in the record that it redirects to. */
    private static @Nullable String allQualifier(Node node) {
        List<Term> terms = terms(node);
        for (int i = 0; i < terms.size(); i++) {
            Node child = node.child(i);
            if (terms.get(i).kind() == Kind.ALL) {
                return terms.get(i).qualifier();
            }
            if (terms.get(i).kind() == Kind.REDIRECT && child != null) {
                return allQualifier(child);
            }
        }
        return null;
    }

    private static List<Term> terms(Node node) {
        return node.record() == null
                ? List.of()
                : SpfRecord.parse(node.record()).terms();
    }

    /** The evaluation of all terms of a tree. */
    private static final class TreeEvaluation {
        private final String origin;
        private final Map<TermFinding, Set<String>> termsByFinding = new EnumMap<>(TermFinding.class);
        private final List<String> errors = new ArrayList<>();
        private boolean invalid;
        private @Nullable CheckError failure;
        private int lookups;
        private int voidLookups;
        private int ip4;
        private int rows;

        TreeEvaluation(String origin) {
            this.origin = origin;
        }

        /** The value of the field tree. */
        Map<String, @Nullable Object> tree(Node node) {
            int before = lookups;
            List<Map<String, @Nullable Object>> shown = new ArrayList<>();
            List<Term> terms = terms(node);
            Set<String> texts = new HashSet<>();
            for (int i = 0; i < terms.size(); i++) {
                Term term = terms.get(i);
                String position = node.domain().equals(origin) ? term.text() : term.text() + " in " + node.domain();
                boolean visible = rows++ < MAX_ROWS;
                Map<String, @Nullable Object> row = row(term, position, node.child(i));
                if (visible) {
                    shown.add(row);
                } else {
                    report(TermFinding.NOT_FOLLOWED, position, null, null);
                }
                if (!texts.add(term.text())) {
                    report(TermFinding.REPEATED_TERM, position, null, null);
                }
            }
            Map<String, @Nullable Object> tree = new LinkedHashMap<>();
            tree.put("domain", node.domain());
            tree.put("record", node.record());
            tree.put("lookup_count", lookups - before);
            tree.put("terms", shown);
            return tree;
        }

        private Map<String, @Nullable Object> row(Term term, String position, @Nullable Node child) {
            int before = lookups;
            lookups += term.kind().looksUp() ? 1 : 0;
            ip4 += term.kind() == Kind.IP4 ? 1 : 0;
            boolean include = term.kind() == Kind.INCLUDE || term.kind() == Kind.REDIRECT;
            switch (term.kind()) {
                case INVALID -> report(TermFinding.SYNTAX_ERROR, position, term.error(), null);
                case PTR -> report(TermFinding.PTR, position, null, null);
                case UNKNOWN_MODIFIER -> report(TermFinding.UNKNOWN_MODIFIER, position, null, null);
                default -> {}
            }
            if (term.prefix() >= 0 && term.prefix() <= (term.kind() == Kind.IP6 ? WIDE_IPV6 : WIDE_IPV4)) {
                report(TermFinding.WIDE_NETWORK, position, null, null);
            }
            Map<String, @Nullable Object> row = new LinkedHashMap<>();
            row.put("term", term.text());
            row.put("note", child == null ? term.error() : note(child.outcome(), position, include));
            if (include
                    && child != null
                    && child.outcome() != Outcome.MACRO
                    && child.outcome() != Outcome.INVALID_NAME
                    && child.outcome() != Outcome.NOT_FOLLOWED) {
                row.put("tree", tree(child));
            }
            row.put("lookup_count", lookups - before);
            return row;
        }

        /** Reports the outcome of a lookup and returns its note. */
        private @Nullable String note(Outcome outcome, String position, boolean include) {
            voidLookups += outcome == Outcome.VOID ? 1 : 0;
            Outcome shown = include && outcome == Outcome.VOID ? Outcome.NO_RECORD : outcome;
            TermFinding finding =
                    switch (shown) {
                        case FOUND -> null;
                        case VOID -> TermFinding.VOID_LOOKUP;
                        case NO_RECORD -> TermFinding.INCLUDE_WITHOUT_RECORD;
                        case SEVERAL_RECORDS -> TermFinding.INCLUDE_WITH_SEVERAL_RECORDS;
                        case LOOP -> TermFinding.INCLUDE_LOOP;
                        case TOO_MANY_MX -> TermFinding.TOO_MANY_MX;
                        case INVALID_NAME -> TermFinding.SYNTAX_ERROR;
                        case PRIVATE -> TermFinding.PRIVATE_NAME;
                        case MACRO -> TermFinding.MACRO;
                        case NOT_FOLLOWED, QUERY_LIMIT -> TermFinding.NOT_FOLLOWED;
                        default -> TermFinding.LOOKUP_FAILED;
                    };
            if (finding != null) {
                // A private address is not a void lookup, but an included record can be invalid.
                report(finding, position, shown.note, shown == Outcome.PRIVATE && !include ? null : shown.error);
            }
            return shown.note;
        }

        /**
         * Adds a finding about a term.
         *
         * @param error why the validity of the record is unknown, null if it is known
         */
        private void report(TermFinding finding, String position, @Nullable String note, @Nullable ErrorCode error) {
            invalid |= finding.permanent;
            if (finding.permanent || error != null) {
                list(position + ": " + note);
            }
            if (error != null && failure == null) {
                failure = new CheckError(
                        error, "The record was not completely evaluated. " + position + ": " + note + ".");
            }
            boolean reason = finding == TermFinding.SYNTAX_ERROR || finding == TermFinding.LOOKUP_FAILED;
            termsByFinding
                    .computeIfAbsent(finding, first -> new LinkedHashSet<>())
                    .add(reason ? position + " (" + note + ")" : position);
        }

        private void list(String text) {
            if (errors.size() < MAX_ERRORS) {
                errors.add(text + ".");
            } else if (errors.size() == MAX_ERRORS) {
                errors.add("More errors exist; only the first " + MAX_ERRORS + " are listed.");
            }
        }
    }
}
