package dev.plumbline.module.mail.spf;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.module.mail.spf.SpfEvaluator.Outcome;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.result.CheckError;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * The DNS responses for the evaluation of a record for a client. A missing response interrupts the evaluation, which
 * restarts after the lookup.
 */
final class SpfLookups {
    /** The type of an A lookup of which only the existence of a record is used. */
    static final int EXISTS = -1;

    /** @param type a constant of {@link org.xbill.DNS.Type}, or {@link #EXISTS} */
    record Question(String name, int type) {}

    enum Status {
        SUCCESS,
        /** The nameservers failed or did not respond. */
        FAILURE,
        PRIVATE,
        /** The check has made too many queries. */
        LIMIT,
        INVALID_NAME
    }

    /**
     * A response.
     *
     * @param texts of TXT records
     * @param addresses of A and AAAA records
     * @param names of MX and PTR records
     */
    record Response(Status status, List<String> texts, List<InetAddress> addresses, List<String> names) {
        static Response of(Status status) {
            return new Response(status, List.of(), List.of(), List.of());
        }

        boolean isVoid() {
            return status == Status.SUCCESS && texts.isEmpty() && addresses.isEmpty() && names.isEmpty();
        }
    }

    static final class MissingException extends RuntimeException {
        private final transient Set<Question> questions;

        MissingException(Set<Question> questions) {
            super("responses are missing", null, false, false);
            this.questions = questions;
        }

        Set<Question> questions() {
            return questions;
        }
    }

    /** An address for the response of a mechanism that only requires that one exists. */
    private static final List<InetAddress> EXISTING = List.of(InetAddress.getLoopbackAddress());

    private final Map<Question, Response> responses = new HashMap<>();

    /** Evaluates the record of a domain, after the lookups that this requires. */
    static Future<Outcome> evaluate(CheckContext context, String domain, SpfClient client) {
        return new SpfLookups().evaluateWith(context, domain, client);
    }

    /**
     * Restarts the evaluation until no response is missing. RFC 7208 section 4.6.4 and the probe limit the number of
     * lookups.
     */
    private Future<Outcome> evaluateWith(CheckContext context, String domain, SpfClient client) {
        try {
            return Future.succeededFuture(SpfEvaluator.evaluate(domain, client, this));
        } catch (MissingException missing) {
            return ContextFutures.all(missing.questions(), question -> lookup(context, question)
                            .recover(CheckFailure.otherwise(SpfLookups::failure))
                            .map(response -> {
                                add(question, response);
                                return response;
                            }))
                    .compose(all -> evaluateWith(context, domain, client));
        }
    }

    private static Future<Response> lookup(CheckContext context, Question question) {
        String name = question.name();
        DnsProbe dns = context.probe(DnsProbe.class);
        return switch (question.type()) {
            case EXISTS ->
                dns.hasAddress(context, name)
                        .map(found -> new Response(Status.SUCCESS, List.of(), found ? EXISTING : List.of(), List.of()));
            case Type.TXT, Type.MX ->
                queryAdmitted(context, name, question.type()).map(SpfLookups::response);
            default -> dns.query(context, name, question.type()).map(SpfLookups::response);
        };
    }

    /** Records of a name without private addresses. A name that does not exist has no addresses. */
    static Future<DnsResponse> queryAdmitted(CheckContext context, String name, int type) {
        DnsProbe dns = context.probe(DnsProbe.class);
        return dns.query(context, name, type)
                .compose(response -> response.nxdomain()
                        ? Future.succeededFuture(response)
                        : dns.admitWithoutAddresses(context, name).map(response));
    }

    private static Response response(DnsResponse response) {
        List<String> names = new ArrayList<>();
        for (Record record : response.records()) {
            if (record instanceof MXRecord mx && !mx.getTarget().equals(Name.root)) {
                names.add(DnsResolver.text(mx.getTarget()));
            } else if (record instanceof PTRRecord ptr) {
                names.add(DnsResolver.text(ptr.getTarget()));
            }
        }
        return new Response(Status.SUCCESS, response.texts(), response.addresses(), names);
    }

    private static Response failure(CheckError error) {
        return Response.of(
                switch (error.code()) {
                    case TARGET_BLOCKED -> Status.PRIVATE;
                    case REQUEST_LIMIT -> Status.LIMIT;
                    case INVALID_TARGET -> Status.INVALID_NAME;
                    default -> Status.FAILURE;
                });
    }

    void add(Question question, Response response) {
        responses.put(question, response);
    }

    Response get(Question question) {
        require(List.of(question));
        return responses.getOrDefault(question, Response.of(Status.INVALID_NAME));
    }

    /** Fails unless all responses are available. */
    void require(Collection<Question> questions) {
        Set<Question> missing = new LinkedHashSet<>(questions);
        missing.removeAll(responses.keySet());
        if (!missing.isEmpty()) {
            throw new MissingException(missing);
        }
    }
}
