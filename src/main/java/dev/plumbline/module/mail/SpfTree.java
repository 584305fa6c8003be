package dev.plumbline.module.mail;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.module.mail.SpfRecord.Term;
import dev.plumbline.probe.dns.DnsProbe;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * An SPF record and all that it leads to, as it was found.
 *
 * @param rivals the SPF records of the domain where there are several; empty otherwise
 * @param lookalike whether a text of the domain looks like an SPF record, and is none
 */
public record SpfTree(Node root, List<String> rivals, boolean lookalike) {
    /** Twice of what receivers look up, so that what is too much can be told apart. */
    private static final int MOST_FOLLOWED = 20;

    private static final int MOST_DEEP = 12;
    private static final int MOST_MX = 10;

    /** What was found at a domain. */
    public enum State {
        RECORD,
        /** There are texts, none of which is SPF. */
        NONE,
        /** There is no text. */
        EMPTY,
        /** The domain does not exist. */
        MISSING,
        SEVERAL,
        /** The resolver did not say. */
        UNKNOWN,
        /** The resolver did not say in time. */
        LATE,
        /** Not to be told. */
        INSIDE,
        /** All questions that a check may ask were asked before. */
        LIMIT,
        /** It stands above itself. */
        LOOP
    }

    /** What a term led to that leads no further. */
    public enum Found {
        SOMETHING,
        VOID,
        MANY,
        UNKNOWN,
        LATE,
        /** There are addresses of one kind; of the other the resolver did not say. */
        HALF_UNKNOWN,
        /** There are addresses of one kind; of the other the resolver did not say in time. */
        HALF_LATE,
        INSIDE,
        LIMIT,
        MACRO,
        NOT_FOLLOWED
    }

    /**
     * A domain and its record.
     *
     * @param record null unless there is exactly one
     * @param outcomes by the place of the term among the effective ones
     * @param nodes likewise, of the terms that lead to another record
     */
    public record Node(
            String domain,
            State state,
            @Nullable String record,
            Map<Integer, Found> outcomes,
            Map<Integer, Node> nodes) {

        static Node of(String domain, State state) {
            return new Node(domain, state, null, Map.of(), Map.of());
        }

        @Nullable
        Found found(int term) {
            return outcomes.get(term);
        }

        @Nullable
        Node next(int term) {
            return nodes.get(term);
        }
    }

    /** Fails when not even the domain's own texts can be found out. */
    static Future<SpfTree> collect(CheckContext context, String domain) {
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Void> admitted = dns.admit(context, domain);
        Future<DnsResponse> texts = dns.query(context, domain, Type.TXT);
        return admitted.compose(fine -> texts).compose(answer -> new Climb(context, dns, domain)
                .node(domain, List.of(domain), answer)
                .map(root -> new SpfTree(
                        root, rivals(answer), answer.texts().stream().anyMatch(SpfRecord::resembles))));
    }

    private static List<String> rivals(DnsResponse answer) {
        List<String> records = answer.texts().stream().filter(SpfRecord::claims).toList();
        return records.size() > 1 ? records : List.of();
    }

    /** One collection, on one event loop. */
    private static final class Climb {
        private final CheckContext context;
        private final DnsProbe dns;
        private final String origin;
        private int followed;

        Climb(CheckContext context, DnsProbe dns, String origin) {
            this.context = context;
            this.dns = dns;
            this.origin = origin;
        }

        /**
         * @param path the domains above, and this one
         */
        Future<Node> node(String domain, List<String> path, DnsResponse answer) {
            List<String> records =
                    answer.texts().stream().filter(SpfRecord::claims).toList();
            if (records.size() != 1) {
                State state = answer.nxdomain() ? State.MISSING : State.EMPTY;
                if (!answer.records().isEmpty()) {
                    state = records.isEmpty() ? State.NONE : State.SEVERAL;
                }
                return Future.succeededFuture(Node.of(domain, state));
            }
            Map<Integer, Found> outcomes = Collections.synchronizedMap(new TreeMap<>());
            Map<Integer, Node> nodes = Collections.synchronizedMap(new TreeMap<>());
            String record = SpfRecord.bounded(records.get(0));
            List<Term> terms = SpfRecord.parse(record).effective();
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < terms.size(); i++) {
                int place = i;
                Term term = terms.get(i);
                if (!term.kind().looksUp()) {
                    continue;
                }
                String name = term.domain() == null ? domain : SpfMacroExpander.expand(term.domain(), domain, origin);
                if (name == null || term.kind() == SpfRecord.Kind.PTR) {
                    outcomes.put(place, name == null ? Found.MACRO : Found.SOMETHING);
                } else if (++followed > MOST_FOLLOWED || path.size() > MOST_DEEP) {
                    outcomes.put(place, Found.NOT_FOLLOWED);
                } else {
                    switch (term.kind()) {
                        case INCLUDE, REDIRECT -> all.add(follow(name, path).onSuccess(node -> nodes.put(place, node)));
                        case MX -> all.add(servers(name).onSuccess(found -> outcomes.put(place, found)));
                        case EXISTS -> all.add(exists(name).onSuccess(found -> outcomes.put(place, found)));
                        default -> all.add(addresses(name).onSuccess(found -> outcomes.put(place, found)));
                    }
                }
            }
            return Future.all(all).map(done -> new Node(domain, State.RECORD, record, outcomes, nodes));
        }

        private Future<Node> follow(String name, List<String> path) {
            if (path.contains(name)) {
                return Future.succeededFuture(Node.of(name, State.LOOP));
            }
            List<String> longer = new ArrayList<>(path);
            longer.add(name);
            return known(name, Type.TXT)
                    .compose(answer -> node(name, longer, answer))
                    .recover(cause -> unanswered(cause)
                            .map(found -> Node.of(
                                    name,
                                    switch (found) {
                                        case INSIDE -> State.INSIDE;
                                        case LATE -> State.LATE;
                                        case LIMIT -> State.LIMIT;
                                        default -> State.UNKNOWN;
                                    })));
        }

        /** An answer of which something may be told; of a name that does not exist there is nothing. */
        private Future<DnsResponse> known(String name, int type) {
            return dns.query(context, name, type)
                    .compose(answer -> answer.nxdomain()
                            ? Future.succeededFuture(answer)
                            : dns.admit(context, name).map(answer));
        }

        private Future<Found> servers(String name) {
            return known(name, Type.MX)
                    .map(answer -> {
                        int count = answer.records().size();
                        return count == 0 ? Found.VOID : count > MOST_MX ? Found.MANY : Found.SOMETHING;
                    })
                    .recover(Climb::unanswered);
        }

        /** By IPv4 addresses alone, whoever sends (RFC 7208 section 5.7). */
        private Future<Found> exists(String name) {
            return known(name, Type.A)
                    .map(answer -> answer.addresses().isEmpty() ? Found.VOID : Found.SOMETHING)
                    .recover(Climb::unanswered);
        }

        /**
         * An address of either kind is enough not to be void. Receivers look up the kind that the
         * sender's address is of, so both have to be known (RFC 7208 section 5).
         */
        private Future<Found> addresses(String name) {
            Future<Found> v4 = address(name, Type.A);
            Future<Found> v6 = address(name, Type.AAAA);
            return Future.all(v4, v6).map(both -> together(List.of(v4.result(), v6.result())));
        }

        private static Found together(List<Found> both) {
            Found found = Stream.of(Found.INSIDE, Found.LIMIT, Found.LATE, Found.UNKNOWN, Found.SOMETHING)
                    .filter(both::contains)
                    .findFirst()
                    .orElse(Found.VOID);
            boolean half = both.contains(Found.SOMETHING);
            return switch (found) {
                case LATE -> half ? Found.HALF_LATE : found;
                case UNKNOWN -> half ? Found.HALF_UNKNOWN : found;
                default -> found;
            };
        }

        private Future<Found> address(String name, int type) {
            return dns.query(context, name, type)
                    .map(answer -> answer.addresses().isEmpty() ? Found.VOID : Found.SOMETHING)
                    .recover(Climb::unanswered);
        }

        private static Future<Found> unanswered(Throwable cause) {
            if (!(cause instanceof CheckFailure failure)) {
                return Future.failedFuture(cause);
            }
            return Future.succeededFuture(
                    switch (failure.error().code()) {
                        case TARGET_BLOCKED -> Found.INSIDE;
                        case DNS_TIMEOUT -> Found.LATE;
                        case REQUEST_LIMIT -> Found.LIMIT;
                        default -> Found.UNKNOWN;
                    });
        }
    }
}
