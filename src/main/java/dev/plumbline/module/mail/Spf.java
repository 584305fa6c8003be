package dev.plumbline.module.mail;

import static dev.plumbline.module.mail.SpfDescription.AFTER_ALL;
import static dev.plumbline.module.mail.SpfDescription.ALL_NEUTRAL;
import static dev.plumbline.module.mail.SpfDescription.ALL_PASS;
import static dev.plumbline.module.mail.SpfDescription.FAILED;
import static dev.plumbline.module.mail.SpfDescription.INCLUDE_EMPTY;
import static dev.plumbline.module.mail.SpfDescription.INCLUDE_SEVERAL;
import static dev.plumbline.module.mail.SpfDescription.INSIDE;
import static dev.plumbline.module.mail.SpfDescription.LONG;
import static dev.plumbline.module.mail.SpfDescription.LOOKALIKE;
import static dev.plumbline.module.mail.SpfDescription.LOOP;
import static dev.plumbline.module.mail.SpfDescription.MACROS;
import static dev.plumbline.module.mail.SpfDescription.NEARLY_TOO_MANY;
import static dev.plumbline.module.mail.SpfDescription.NOT_FOLLOWED;
import static dev.plumbline.module.mail.SpfDescription.NO_ALL;
import static dev.plumbline.module.mail.SpfDescription.NO_RECORD;
import static dev.plumbline.module.mail.SpfDescription.PTR;
import static dev.plumbline.module.mail.SpfDescription.REDIRECT_IGNORED;
import static dev.plumbline.module.mail.SpfDescription.SEVERAL;
import static dev.plumbline.module.mail.SpfDescription.SOFTFAIL;
import static dev.plumbline.module.mail.SpfDescription.SYNTAX;
import static dev.plumbline.module.mail.SpfDescription.TOO_MANY;
import static dev.plumbline.module.mail.SpfDescription.TOO_MANY_MX;
import static dev.plumbline.module.mail.SpfDescription.TOO_MANY_VOID;
import static dev.plumbline.module.mail.SpfDescription.TWICE;
import static dev.plumbline.module.mail.SpfDescription.UNKNOWN_MODIFIER;
import static dev.plumbline.module.mail.SpfDescription.VOID;
import static dev.plumbline.module.mail.SpfDescription.WIDE;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.module.mail.SpfRecord.Kind;
import dev.plumbline.module.mail.SpfRecord.Term;
import dev.plumbline.module.mail.SpfTree.Found;
import dev.plumbline.module.mail.SpfTree.Node;
import dev.plumbline.module.mail.SpfTree.State;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who may send mail in the name of a domain (RFC 7208). */
@AutoService(ModuleDefinition.class)
public final class Spf implements ModuleDefinition<SpfTree> {
    private static final int MOST_LOOKUPS = 10;
    private static final int MANY_LOOKUPS = 8;
    private static final int MOST_VOID_LOOKUPS = 2;
    private static final int LONG_RECORD = 450;
    private static final int MOST_ROWS = 1_000;
    private static final int MOST_ERRORS = 100;
    private static final int MOST_SHOWN = 200;
    private static final int WIDE_V4 = 8;
    private static final int WIDE_V6 = 16;

    @Override
    public ModuleDescription description() {
        return SpfDescription.DESCRIPTION;
    }

    @Override
    public Future<SpfTree> collect(Target target, CheckContext context) {
        return SpfTree.collect(context, target.text())
                .compose(tree -> tree.root().state() == State.MISSING
                        ? Future.failedFuture(new CheckFailure(
                                ErrorCode.DNS_NXDOMAIN, "The name " + target.text() + " does not exist."))
                        : Future.succeededFuture(tree));
    }

    @Override
    public Evaluation evaluate(SpfTree seen, Options options) {
        Node root = seen.root();
        Walk walk = new Walk(root.domain());
        Map<String, Object> tree = walk.walk(root);
        boolean several = root.state() == State.SEVERAL;
        if (several) {
            walk.fault(
                    SEVERAL,
                    root,
                    "There are several SPF records: "
                            + TruncatedList.of(
                                    seen.rivals().stream().map(Spf::quoted).toList())
                            + ".");
        }
        if (walk.lookups > MOST_LOOKUPS) {
            walk.fault(TOO_MANY, root, "The record needs " + walk.lookups + " look-ups; 10 are allowed.");
        } else if (walk.lookups >= MANY_LOOKUPS) {
            walk.say(NEARLY_TOO_MANY, "The record needs " + walk.lookups + " of the 10 look-ups.");
        }
        if (walk.voids > MOST_VOID_LOOKUPS) {
            walk.fault(TOO_MANY_VOID, root, walk.voids + " look-ups find nothing; 2 are allowed.");
        }
        if (!walk.nothing.isEmpty()) {
            walk.say(VOID, "The record names what is not there: " + TruncatedList.of(walk.nothing) + ".");
        }
        if (root.record() == null && !several) {
            walk.found.add(0, NO_RECORD.found());
        }
        if (seen.lookalike()) {
            walk.found.add(LOOKALIKE.found());
        }
        Character all = root.record() == null ? null : all(root, new HashSet<>());
        if (root.record() != null) {
            root(root, all, walk);
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("record", root.record());
        boolean wrong = root.record() == null || walk.wrong;
        CheckError doubt = wrong ? null : walk.doubt;
        fields.put("valid", doubt == null ? !wrong : null);
        fields.put("all_qualifier", all == null ? null : all.toString());
        fields.put("lookup_count", walk.lookups);
        fields.put("void_lookup_count", walk.voids);
        fields.put("multiple", several);
        fields.put("tree", tree);
        fields.put("ip4_count", walk.ip4);
        fields.put("errors", walk.errors);
        return new Evaluation(fields, walk.found, doubt);
    }

    private static String quoted(String record) {
        return record.length() <= MOST_SHOWN ? '"' + record + '"' : '"' + record.substring(0, MOST_SHOWN) + "…\"";
    }

    private static void root(Node root, @Nullable Character all, Walk walk) {
        SpfRecord record = SpfRecord.parse(String.valueOf(root.record()));
        if (all != null) {
            switch (all) {
                case '+' -> walk.say(ALL_PASS);
                case '?' -> walk.say(ALL_NEUTRAL);
                case '~' -> walk.say(SOFTFAIL);
                default -> {}
            }
        } else if (!record.has(Kind.REDIRECT) && !record.has(Kind.WRONG)) {
            walk.say(NO_ALL);
        }
        if (record.has(Kind.ALL) && record.has(Kind.REDIRECT)) {
            walk.say(REDIRECT_IGNORED);
        }
        long redirects = record.terms().stream()
                .filter(term -> term.kind() == Kind.REDIRECT)
                .count();
        if (record.has(Kind.ALL) && record.effective().size() < record.terms().size() - redirects) {
            walk.say(AFTER_ALL);
        }
        if (String.valueOf(root.record()).length() > LONG_RECORD) {
            walk.say(LONG);
        }
    }

    /** What happens to servers that are not named: a redirect hands the question on. */
    private static @Nullable Character all(Node node, Set<String> seen) {
        if (node.record() == null || !seen.add(node.domain())) {
            return null;
        }
        List<Term> terms = SpfRecord.parse(node.record()).effective();
        for (int i = 0; i < terms.size(); i++) {
            Node next = node.next(i);
            if (terms.get(i).kind() == Kind.ALL) {
                return terms.get(i).qualifier();
            }
            if (terms.get(i).kind() == Kind.REDIRECT && next != null) {
                return all(next, seen);
            }
        }
        return null;
    }

    /** Counts and gathers what is wrong, through the whole tree. */
    private static final class Walk {
        private final String origin;
        private final List<Finding> found = new ArrayList<>();
        private final Set<FindingCode> said = new HashSet<>();
        private final List<String> errors = new ArrayList<>();
        private final List<String> nothing = new ArrayList<>();
        private boolean wrong;
        private @Nullable CheckError doubt;
        private int lookups;
        private int voids;
        private int ip4;
        private int shown;

        Walk(String origin) {
            this.origin = origin;
        }

        /** Says a thing once, however often it is met. */
        void say(FindingCode code) {
            say(code, code.message());
        }

        void say(FindingCode code, String message) {
            if (said.add(code)) {
                found.add(code.found(message));
            }
        }

        void fault(FindingCode code, Node where, String message) {
            wrong = true;
            say(code, list(where, message));
        }

        /** What might as well be wrong as right. */
        void doubt(ErrorCode why, FindingCode code, Node where, String message) {
            String text = list(where, message);
            if (doubt == null) {
                doubt = new CheckError(why, "Whether receivers can follow the record could not be found out. " + text);
            }
            say(code, text);
        }

        private String list(Node where, String message) {
            String text = where.domain().equals(origin) ? message : where.domain() + ": " + message;
            if (errors.size() < MOST_ERRORS) {
                errors.add(text);
            } else if (errors.size() == MOST_ERRORS) {
                errors.add("More is wrong; only the first " + MOST_ERRORS + " errors are listed.");
            }
            return text;
        }

        Map<String, Object> walk(Node node) {
            int before = lookups;
            Map<String, Object> tree = new LinkedHashMap<>();
            tree.put("domain", node.domain());
            tree.put("record", node.record());
            List<Map<String, @Nullable Object>> rows = new ArrayList<>();
            if (node.record() != null) {
                List<Term> terms = SpfRecord.parse(node.record()).effective();
                Set<String> texts = new HashSet<>();
                for (int i = 0; i < terms.size(); i++) {
                    boolean shows = shown++ < MOST_ROWS;
                    Map<String, @Nullable Object> row = term(node, terms.get(i), node.found(i), node.next(i));
                    if (shows) {
                        rows.add(row);
                    } else {
                        say(NOT_FOLLOWED, "Only the first " + MOST_ROWS + " parts of all records are shown.");
                    }
                    if (!texts.add(terms.get(i).text())) {
                        say(TWICE, "The part " + terms.get(i).text() + " stands in the record twice.");
                    }
                }
            }
            tree.put("lookup_count", lookups - before);
            tree.put("terms", rows);
            return tree;
        }

        private Map<String, @Nullable Object> term(Node node, Term term, @Nullable Found outcome, @Nullable Node next) {
            int before = lookups;
            lookups += term.kind().looksUp() ? 1 : 0;
            Map<String, @Nullable Object> row = new LinkedHashMap<>();
            row.put("term", term.text());
            row.put("note", null);
            evaluate(node, term, row);
            if (outcome != null) {
                row.put("note", outcome(node, term, outcome));
            }
            if (next != null) {
                String note = next(node, term, next);
                row.put("note", note);
                row.put("tree", walk(next));
            }
            row.put("lookup_count", lookups - before);
            return row;
        }

        private void evaluate(Node node, Term term, Map<String, @Nullable Object> row) {
            switch (term.kind()) {
                case WRONG -> {
                    row.put("note", term.error());
                    fault(SYNTAX, node, "The part " + term.text() + " " + term.error() + ".");
                }
                case PTR -> say(PTR);
                case IP4 -> {
                    ip4++;
                    if (term.prefix() <= WIDE_V4) {
                        say(WIDE, term.text() + " lets a very large part of the internet send.");
                    }
                }
                case IP6 -> {
                    if (term.prefix() <= WIDE_V6) {
                        say(WIDE, term.text() + " lets a very large part of the internet send.");
                    }
                }
                case A, MX -> {
                    if (term.prefix() >= 0 && term.prefix() <= WIDE_V4) {
                        say(WIDE, term.text() + " lets a very large part of the internet send.");
                    }
                }
                case UNKNOWN_MODIFIER -> say(UNKNOWN_MODIFIER, "No standard knows the part " + term.text() + ".");
                default -> {}
            }
        }

        private @Nullable String outcome(Node node, Term term, Found outcome) {
            switch (outcome) {
                case VOID -> {
                    voids++;
                    nothing.add(term.text() + " (of " + node.domain() + ")");
                    return "finds nothing";
                }
                case MANY -> {
                    fault(TOO_MANY_MX, node, "The part " + term.text() + " leads to more than 10 servers.");
                    return "leads to more than 10 mail servers";
                }
                case UNKNOWN, HALF_UNKNOWN -> {
                    return failed(node, term, outcome, ErrorCode.DNS_SERVFAIL, "the name servers of the domain fail");
                }
                case LATE, HALF_LATE -> {
                    return failed(node, term, outcome, ErrorCode.DNS_TIMEOUT, "no answer came in time");
                }
                case LIMIT -> {
                    doubt(
                            ErrorCode.REQUEST_LIMIT,
                            NOT_FOLLOWED,
                            node,
                            "The part " + term.text() + " was not looked up: too much had been before it.");
                    return "was not followed";
                }
                case INSIDE -> {
                    say(INSIDE);
                    return "belongs to a private network";
                }
                case MACRO -> {
                    say(MACROS);
                    return "depends on the mail";
                }
                case NOT_FOLLOWED -> {
                    say(NOT_FOLLOWED);
                    return "was not followed";
                }
                default -> {
                    return null;
                }
            }
        }

        private String failed(Node node, Term term, Found outcome, ErrorCode code, String why) {
            boolean half = outcome == Found.HALF_UNKNOWN || outcome == Found.HALF_LATE;
            String what = "could not be looked up" + (half ? " for both IPv4 and IPv6" : "");
            doubt(code, FAILED, node, "The part " + term.text() + " " + what + ": " + why + ".");
            return what;
        }

        private @Nullable String next(Node node, Term term, Node next) {
            switch (next.state()) {
                case NONE, MISSING, EMPTY -> {
                    voids += next.state() == State.NONE ? 0 : 1;
                    fault(INCLUDE_EMPTY, node, "The part " + term.text() + " leads to a domain without an SPF record.");
                    return "has no SPF record";
                }
                case SEVERAL -> {
                    fault(
                            INCLUDE_SEVERAL,
                            node,
                            "The part " + term.text() + " leads to a domain with several SPF records.");
                    return "has several SPF records";
                }
                case LOOP -> {
                    fault(LOOP, node, "The part " + term.text() + " leads back to where it comes from.");
                    return "leads back";
                }
                case UNKNOWN -> {
                    return outcome(node, term, Found.UNKNOWN);
                }
                case LATE -> {
                    return outcome(node, term, Found.LATE);
                }
                case LIMIT -> {
                    return outcome(node, term, Found.LIMIT);
                }
                case INSIDE -> {
                    doubt(
                            ErrorCode.TARGET_BLOCKED,
                            INSIDE,
                            node,
                            "The part " + term.text() + " leads to a private network, of which nothing is told.");
                    return "belongs to a private network";
                }
                default -> {
                    return null;
                }
            }
        }
    }
}
