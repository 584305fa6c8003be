package dev.plumbline.module.mail.spf;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.module.mail.spf.SpfEvaluator.Outcome;
import dev.plumbline.module.mail.spf.SpfLookups.Question;
import dev.plumbline.module.mail.spf.SpfLookups.Response;
import dev.plumbline.module.mail.spf.SpfLookups.Status;
import dev.plumbline.probe.dns.DnsProbe;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Looks up what the evaluation of a record for a client requires, step by step. */
final class SpfCollector {
    /** An address for the response of a mechanism that only requires that one exists. */
    private static final List<InetAddress> EXISTS = List.of(InetAddress.getLoopbackAddress());

    private final CheckContext context;
    private final DnsProbe dns;
    private final String domain;
    private final SpfClient client;
    private final SpfLookups responses = new SpfLookups();

    private SpfCollector(CheckContext context, String domain, SpfClient client) {
        this.context = context;
        this.dns = context.probe(DnsProbe.class);
        this.domain = domain;
        this.client = client;
    }

    static Future<Outcome> evaluate(CheckContext context, String domain, SpfClient client) {
        return new SpfCollector(context, domain, client).evaluate();
    }

    /** Each step needs further responses. Their number is limited by RFC 7208 section 4.6.4 and by the probe. */
    private Future<Outcome> evaluate() {
        try {
            return Future.succeededFuture(SpfEvaluator.evaluate(domain, client, responses));
        } catch (SpfLookups.MissingException missing) {
            List<Future<Void>> lookups = new ArrayList<>();
            missing.questions()
                    .forEach(question -> lookups.add(lookup(question).map(response -> {
                        responses.add(question, response);
                        return null;
                    })));
            return Future.all(lookups).compose(all -> evaluate());
        }
    }

    private Future<Response> lookup(Question question) {
        return response(question).recover(SpfCollector::failure);
    }

    private Future<Response> response(Question question) {
        String name = question.name();
        return switch (question.type()) {
            case SpfLookups.EXISTS ->
                dns.hasAddress(context, name)
                        .map(found -> new Response(Status.SUCCESS, List.of(), found ? EXISTS : List.of(), List.of()));
            case Type.TXT, Type.MX ->
                dns.query(context, name, question.type())
                        .compose(response -> response.nxdomain()
                                ? Future.succeededFuture(response)
                                : dns.admitWithoutAddresses(context, name).map(response))
                        .map(SpfCollector::response);
            default -> dns.query(context, name, question.type()).map(SpfCollector::response);
        };
    }

    private static Response response(DnsResponse response) {
        List<String> names = new ArrayList<>();
        for (Record record : response.records()) {
            if (record instanceof MXRecord mx && !mx.getTarget().equals(Name.root)) {
                names.add(DnsResolver.text(mx.getTarget()).toLowerCase(Locale.ROOT));
            } else if (record instanceof PTRRecord ptr) {
                names.add(DnsResolver.text(ptr.getTarget()).toLowerCase(Locale.ROOT));
            }
        }
        return new Response(Status.SUCCESS, response.texts(), response.addresses(), names);
    }

    private static Future<Response> failure(Throwable cause) {
        if (!(cause instanceof CheckFailure failure)) {
            return Future.failedFuture(cause);
        }
        return Future.succeededFuture(Response.of(
                switch (failure.error().code()) {
                    case TARGET_BLOCKED -> Status.PRIVATE;
                    case REQUEST_LIMIT -> Status.LIMIT;
                    case INVALID_TARGET -> Status.INVALID_NAME;
                    default -> Status.FAILURE;
                }));
    }
}
