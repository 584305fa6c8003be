package dev.plumbline.module.mail.spf;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.mail.spf.SpfEvaluator.Result;
import dev.plumbline.module.mail.spf.SpfRecord.Kind;
import dev.plumbline.module.mail.spf.SpfTree.Node;
import dev.plumbline.module.mail.spf.SpfTree.NodeTerm;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.result.CheckError;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The SPF record of a domain and the limits of its evaluation (RFC 7208). */
@AutoService(RegisteredModule.class)
public final class Spf implements CheckModule<Spf.Evidence, Spf.Report, Spf.Findings> {
    private static final int MANY_LOOKUPS = 8;
    private static final int LONG_RECORD = 450;

    /**
     * The fields of the report.
     *
     * @param valid null only if there is an error, as for every field that is not declared nullable
     */
    public record Report(
            @Nullable String record,
            @NullOnError Boolean valid,
            @Nullable Result result,
            @Nullable String matched,
            @Nullable String allQualifier,
            int lookupCount,
            int voidLookupCount,
            boolean multiple,
            Map<String, ?> tree,
            int ip4Count,
            List<String> errors,
            List<DanglingReferences.Row> danglingReferences) {}

    /**
     * The records, and the evaluation for the client of the options.
     *
     * @param outcome null without a client
     * @param dangling the domains of terms that do not exist
     */
    public record Evidence(SpfTree tree, SpfEvaluator.@Nullable Outcome outcome, DanglingReferences dangling) {}

    public interface Findings extends DanglingReferences.Findings {
        void spfMissing(String domain);

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

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String domain = target.text();
        SpfClient client = SpfClient.of(context.options(), domain);
        return SpfTree.collect(context, domain)
                .compose(tree -> client == null
                        ? Future.succeededFuture(new Evidence(tree, null, DanglingReferences.NONE))
                        : SpfLookups.evaluate(context, domain, client)
                                .map(outcome -> new Evidence(tree, outcome, DanglingReferences.NONE)))
                .compose(evidence -> DanglingReferences.find(context, evidence.tree().dangling().stream())
                        .map(dangling -> new Evidence(evidence.tree(), evidence.outcome(), dangling)));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        SpfTree tree = evidence.tree();
        Node root = tree.root();
        SpfTreeEvaluation evaluation = new SpfTreeEvaluation(root.domain());
        Map<String, ?> terms = evaluation.tree(root);
        String record = root.record();
        String all = allQualifier(root);
        int records = tree.records().size();
        if (records > 1) {
            evaluation.list(records + " SPF records are published");
            findings.severalRecords(
                    tree.records().stream().map(text -> '"' + text + '"').toList());
        } else if (record == null) {
            findings.spfMissing(root.domain());
        }
        evaluation.report(findings);
        evidence.dangling().report(findings);
        if (evaluation.lookups > SpfEvaluator.MAX_LOOKUPS) {
            evaluation.list("The record requires " + evaluation.lookups + " DNS lookups; 10 are allowed");
            findings.tooManyLookups(evaluation.lookups);
        } else if (evaluation.lookups >= MANY_LOOKUPS) {
            findings.manyLookups(evaluation.lookups);
        }
        if (evaluation.voidLookups > SpfEvaluator.MAX_VOID_LOOKUPS) {
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
                || evaluation.lookups > SpfEvaluator.MAX_LOOKUPS
                || evaluation.voidLookups > SpfEvaluator.MAX_VOID_LOOKUPS;
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
                evaluation.errors,
                evidence.dangling().rows());
    }

    private static void evaluateClient(
            String domain, SpfEvaluator.@Nullable Outcome outcome, Options options, Findings findings) {
        String ip = options.optionalText("client_ip");
        String sender = options.optionalText("sender");
        if (ip == null || outcome == null) {
            if (sender != null || options.optionalText("helo") != null) {
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
        for (NodeTerm each : node.terms()) {
            if (each.term().kind() == Kind.ALL) {
                return each.term().qualifier();
            }
            if (each.term().kind() == Kind.REDIRECT && each.child() != null) {
                return allQualifier(each.child());
            }
        }
        return null;
    }
}
