package dev.plumbline.module.mail.spf;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.dns.MissingName;
import dev.plumbline.module.mail.spf.SpfRecord.Kind;
import dev.plumbline.module.mail.spf.SpfRecord.Term;
import dev.plumbline.module.reference.DanglingReferences.Reference;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * The SPF record of a domain and everything that it references.
 *
 * @param records all SPF records of the domain
 * @param dangling the domains of terms that do not exist
 * @param lookalike a text that resembles an SPF record but is not one, null if there is none
 */
public record SpfTree(Node root, List<String> records, List<Reference> dangling, @Nullable String lookalike) {
    /** Twice the limit of receivers, so that the report shows by how much a record exceeds it. */
    private static final int MAX_FOLLOWED = 20;

    private static final int MAX_DEPTH = 12;
    private static final int MAX_MX = 10;

    /** The outcome of the lookups for one term. {@link Collector#addresses} prefers the later of two outcomes. */
    public enum Outcome {
        VOID("the lookup returns no records", null),
        FOUND(null, null),
        SERVER_FAILURE("the nameservers failed", ErrorCode.DNS_SERVFAIL),
        TIMEOUT("the lookup timed out", ErrorCode.DNS_TIMEOUT),
        QUERY_LIMIT("the check reached its limit of DNS queries", ErrorCode.REQUEST_LIMIT),
        PRIVATE("the domain belongs to a private network", ErrorCode.TARGET_BLOCKED),
        PARTIAL_SERVER_FAILURE("the nameservers failed for one address family", ErrorCode.DNS_SERVFAIL),
        PARTIAL_TIMEOUT("the lookup timed out for one address family", ErrorCode.DNS_TIMEOUT),
        NO_RECORD("the domain does not have an SPF record", null),
        SEVERAL_RECORDS("the domain has several SPF records", null),
        LOOP("the term creates an include loop", null),
        TOO_MANY_MX("the domain has more than 10 MX records", null),
        MACRO("the term depends on the message", null),
        INVALID_NAME("after macro expansion, a label of the domain is empty or has more than 63 characters", null),
        NOT_FOLLOWED("the term was not followed", null);

        /** The problem, null if there is none. */
        final @Nullable String note;

        /** Why the outcome is unknown, null if it is known. */
        final @Nullable ErrorCode error;

        Outcome(@Nullable String note, @Nullable ErrorCode error) {
            this.note = note;
            this.error = error;
        }
    }

    /**
     * A domain that a term references.
     *
     * @param record null unless there is exactly one SPF record
     * @param terms the evaluated terms of the record
     */
    public record Node(String domain, Outcome outcome, @Nullable String record, List<NodeTerm> terms) {
        static Node leaf(String domain, Outcome outcome) {
            return new Node(domain, outcome, null, List.of());
        }
    }

    /** @param child null for a term without lookups */
    record NodeTerm(Term term, @Nullable Node child) {}

    /** Fails if the lookup of the domain's own records fails or the domain does not exist. */
    static Future<SpfTree> collect(CheckContext context, String domain) {
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Void> admission = dns.admitWithoutAddresses(context, domain);
        Future<DnsResponse> response = dns.query(context, domain, Type.TXT);
        return admission
                .compose(admitted -> response)
                .compose(DnsProbe::requireName)
                .compose(txt -> {
                    Collector collector = new Collector(context, dns, domain);
                    return collector
                            .node(domain, List.of(domain), txt)
                            .map(root -> new SpfTree(
                                    root,
                                    SpfRecord.VERSION.records(txt.texts()),
                                    List.copyOf(collector.dangling),
                                    SpfRecord.VERSION.lookalike(txt.texts())));
                });
    }

    /** Collects one tree on one event loop. */
    private static final class Collector {
        private final CheckContext context;
        private final DnsProbe dns;
        private final String origin;
        private final List<Reference> dangling = new ArrayList<>();
        private int followed;

        Collector(CheckContext context, DnsProbe dns, String origin) {
            this.context = context;
            this.dns = dns;
            this.origin = origin;
        }

        /** @param path the domains from the root to this one */
        Future<Node> node(String domain, List<String> path, DnsResponse response) {
            List<String> records = SpfRecord.VERSION.records(response.texts());
            if (records.size() != 1) {
                Outcome outcome = response.records().isEmpty()
                        ? Outcome.VOID
                        : records.isEmpty() ? Outcome.NO_RECORD : Outcome.SEVERAL_RECORDS;
                return Future.succeededFuture(Node.leaf(domain, outcome));
            }
            String text = records.get(0);
            // One character more than the maximum keeps a record invalid.
            String record = text.substring(0, Math.min(text.length(), SpfRecord.MAX_LENGTH + 1));
            return ContextFutures.all(SpfRecord.parse(record).terms(), term -> follow(term, domain, path)
                            .map(child -> new NodeTerm(term, child)))
                    .map(terms -> new Node(domain, Outcome.FOUND, record, terms));
        }

        private Future<@Nullable Node> follow(Term term, String domain, List<String> path) {
            if (!term.kind().looksUp()) {
                return Future.succeededFuture();
            }
            String name = term.domain() == null ? domain : SpfMacros.expand(term.domain(), domain, origin);
            if (name == null || term.kind() == Kind.PTR) {
                return Future.succeededFuture(Node.leaf(domain, name == null ? Outcome.MACRO : Outcome.FOUND));
            }
            if (!SpfMacros.hasValidLabels(name)) {
                return Future.succeededFuture(Node.leaf(name, Outcome.INVALID_NAME));
            }
            if (++followed > MAX_FOLLOWED || path.size() > MAX_DEPTH) {
                return Future.succeededFuture(Node.leaf(name, Outcome.NOT_FOLLOWED));
            }
            if (term.kind() == Kind.INCLUDE || term.kind() == Kind.REDIRECT) {
                return include(name, path);
            }
            Future<Outcome> outcome =
                    switch (term.kind()) {
                        case MX ->
                            SpfLookups.queryAdmitted(context, name, Type.MX)
                                    .onSuccess(mx -> addDangling(name, mx.missing()))
                                    .map(mx -> mx.records().size() > MAX_MX
                                            ? Outcome.TOO_MANY_MX
                                            : mx.records().isEmpty() ? Outcome.VOID : Outcome.FOUND);
                        // Only IPv4 addresses, whatever the family of the client (RFC 7208 section 5.7).
                        case EXISTS -> dns.hasAddress(context, name).map(found -> found ? Outcome.FOUND : Outcome.VOID);
                        default -> addresses(name);
                    };
            return outcome.recover(CheckFailure.otherwise(Collector::failure)).map(end -> Node.leaf(name, end));
        }

        private Future<@Nullable Node> include(String name, List<String> path) {
            if (path.contains(name)) {
                return Future.succeededFuture(Node.leaf(name, Outcome.LOOP));
            }
            List<String> extended =
                    Stream.concat(path.stream(), Stream.of(name)).toList();
            return SpfLookups.queryAdmitted(context, name, Type.TXT)
                    .onSuccess(response -> addDangling(name, response.missing()))
                    .compose(response -> node(name, extended, response))
                    .recover(CheckFailure.otherwise(error -> Node.leaf(name, failure(error))));
        }

        /**
         * An address of one family is enough not to be void. Receivers look up the family of the client address, so
         * both lookups must succeed (RFC 7208 section 5).
         */
        private Future<Outcome> addresses(String name) {
            Future<DnsResponse> a = dns.query(context, name, Type.A);
            Future<DnsResponse> aaaa = dns.query(context, name, Type.AAAA);
            Future<Outcome> v4 = address(a);
            Future<Outcome> v6 = address(aaaa);
            return Future.all(v4, v6).map(both -> {
                if (a.succeeded() && aaaa.succeeded() && aaaa.result().missing() != null) {
                    addDangling(name, a.result().missing());
                }
                Outcome worst = v4.result().compareTo(v6.result()) > 0 ? v4.result() : v6.result();
                boolean partial = v4.result() == Outcome.FOUND || v6.result() == Outcome.FOUND;
                return switch (worst) {
                    case SERVER_FAILURE -> partial ? Outcome.PARTIAL_SERVER_FAILURE : worst;
                    case TIMEOUT -> partial ? Outcome.PARTIAL_TIMEOUT : worst;
                    default -> worst;
                };
            });
        }

        private void addDangling(String name, @Nullable MissingName missing) {
            Reference.of(name, missing).forEach(dangling::add);
        }

        private static Future<Outcome> address(Future<DnsResponse> query) {
            return query.map(response -> response.addresses().isEmpty() ? Outcome.VOID : Outcome.FOUND)
                    .recover(CheckFailure.otherwise(Collector::failure));
        }

        private static Outcome failure(CheckError error) {
            return switch (error.code()) {
                case TARGET_BLOCKED -> Outcome.PRIVATE;
                case DNS_TIMEOUT -> Outcome.TIMEOUT;
                case REQUEST_LIMIT -> Outcome.QUERY_LIMIT;
                default -> Outcome.SERVER_FAILURE;
            };
        }
    }
}
