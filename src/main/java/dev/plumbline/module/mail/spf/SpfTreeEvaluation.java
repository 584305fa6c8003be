package dev.plumbline.module.mail.spf;

import dev.plumbline.module.mail.spf.SpfRecord.Kind;
import dev.plumbline.module.mail.spf.SpfRecord.Term;
import dev.plumbline.module.mail.spf.SpfTree.Node;
import dev.plumbline.module.mail.spf.SpfTree.NodeTerm;
import dev.plumbline.module.mail.spf.SpfTree.Outcome;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
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

/** The evaluation of all terms of the records of a domain. For one tree. */
final class SpfTreeEvaluation {
    private static final int MAX_ROWS = 1_000;
    private static final int MAX_ERRORS = 100;
    private static final int WIDE_IPV4 = 8;
    private static final int WIDE_IPV6 = 16;

    /** The findings about terms. Each is reported once, with all its terms. */
    private enum TermFinding {
        SYNTAX_ERROR(true, Spf.Findings::syntaxError),
        INCLUDE_WITHOUT_RECORD(true, Spf.Findings::includeWithoutRecord),
        INCLUDE_WITH_SEVERAL_RECORDS(true, Spf.Findings::includeWithSeveralRecords),
        INCLUDE_LOOP(true, Spf.Findings::includeLoop),
        TOO_MANY_MX(true, Spf.Findings::tooManyMx),
        VOID_LOOKUP(false, Spf.Findings::voidLookup),
        LOOKUP_FAILED(false, Spf.Findings::lookupFailed),
        PRIVATE_NAME(false, Spf.Findings::privateNamesHidden),
        PTR(false, Spf.Findings::ptrUsed),
        WIDE_NETWORK(false, Spf.Findings::wideNetwork),
        MACRO(false, Spf.Findings::dependsOnMail),
        UNKNOWN_MODIFIER(false, Spf.Findings::unknownModifier),
        REPEATED_TERM(false, Spf.Findings::repeatedTerm),
        NOT_FOLLOWED(false, Spf.Findings::notAllFollowed);

        /** Whether receivers return permerror. */
        private final boolean permanent;

        private final BiConsumer<Spf.Findings, Collection<String>> method;

        TermFinding(boolean permanent, BiConsumer<Spf.Findings, Collection<String>> method) {
            this.permanent = permanent;
            this.method = method;
        }
    }

    private final String origin;
    private final Map<TermFinding, Set<String>> termsByFinding = new EnumMap<>(TermFinding.class);
    private int rows;

    /** At most 101 sentences. */
    final List<String> errors = new ArrayList<>();

    /** Whether receivers return permerror because of a term. */
    boolean invalid;

    /** Why the validity is unknown; null if it is known. */
    @Nullable
    CheckError failure;

    /** The number of terms that require DNS lookups (RFC 7208 section 4.6.4). */
    int lookups;

    /** The number of lookups without records. */
    int voidLookups;

    /** The number of terms {@code ip4}. */
    int ip4;

    /** @param origin the domain whose terms are shown without their domain */
    SpfTreeEvaluation(String origin) {
        this.origin = origin;
    }

    /** The value of the field tree. */
    Map<String, @Nullable Object> tree(Node node) {
        int before = lookups;
        List<Map<String, @Nullable Object>> shown = new ArrayList<>();
        Set<String> texts = new HashSet<>();
        for (NodeTerm each : node.terms()) {
            Term term = each.term();
            String position = node.domain().equals(origin) ? term.text() : term.text() + " in " + node.domain();
            boolean visible = rows++ < MAX_ROWS;
            Map<String, @Nullable Object> row = row(term, position, each.child());
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
            failure = new CheckError(error, "The record was not completely evaluated. " + position + ": " + note + ".");
        }
        boolean reason = finding == TermFinding.SYNTAX_ERROR || finding == TermFinding.LOOKUP_FAILED;
        termsByFinding
                .computeIfAbsent(finding, first -> new LinkedHashSet<>())
                .add(reason ? position + " (" + note + ")" : position);
    }

    void list(String text) {
        if (errors.size() < MAX_ERRORS) {
            errors.add(text + ".");
        } else if (errors.size() == MAX_ERRORS) {
            errors.add("More errors exist; only the first " + MAX_ERRORS + " are listed.");
        }
    }

    void report(Spf.Findings findings) {
        termsByFinding.forEach((finding, affected) -> finding.method.accept(findings, affected));
    }
}
