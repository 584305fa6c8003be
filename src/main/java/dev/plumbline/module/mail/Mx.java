package dev.plumbline.module.mail;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Host;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.smtp.SmtpGreetingScript;
import dev.plumbline.probe.tcp.TcpProbe;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/** Where mail for a domain goes. */
@AutoService(ModuleDefinition.class)
public final class Mx implements ModuleDefinition<Mx.Evidence> {
    static final int MOST_LOOKED_UP = 20;
    static final int MOST_GREETED = 4;
    private static final int SMTP = 25;
    static final long GREETING_MS = 3_000;

    /** What was found of a host's addresses. */
    public enum Addresses {
        FOUND,
        /** Some, but one kind could not be looked up. */
        PARTLY,
        NONE,
        /** Not to be told. */
        INSIDE,
        /** The resolver did not say. */
        UNKNOWN,
        NOT_ASKED
    }

    /**
     * A mail server.
     *
     * @param host without the trailing dot; a dot for none
     * @param alias whether the name is an alias
     * @param tls whether STARTTLS is offered, null when unknown
     * @param unheard why a server that was to be asked did not say, null otherwise
     */
    public record Server(
            int preference,
            String host,
            Addresses state,
            List<InetAddress> ips,
            boolean alias,
            @Nullable Boolean tls,
            @Nullable String unheard) {
        Server with(@Nullable Boolean offered) {
            String why = offered == null ? "it did not say" : null;
            return new Server(preference, host, state, ips, alias, offered, why);
        }

        Server unheard(ErrorCode why) {
            return new Server(preference, host, state, ips, alias, null, words(why));
        }

        /** Whether it is so far down the list that nothing was looked up. */
        boolean passedOver() {
            return state == Addresses.NOT_ASKED && !none();
        }

        boolean none() {
            return host.equals(".");
        }
    }

    /**
     * The servers that are named, in order.
     *
     * @param implicit whether the only server is the domain itself, for want of MX records
     */
    public record Evidence(List<Server> servers, boolean implicit) {}

    @Override
    public ModuleDescription description() {
        return MxDescription.DESCRIPTION;
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String domain = target.text();
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Void> admitted = dns.admit(context, domain);
        Future<DnsResponse> asked = dns.query(context, domain, Type.MX);
        return admitted.compose(fine -> asked)
                .compose(answer -> {
                    if (answer.nxdomain()) {
                        return Future.failedFuture(
                                new CheckFailure(ErrorCode.DNS_NXDOMAIN, "The name " + domain + " does not exist."));
                    }
                    return answer.records().isEmpty() ? itself(context, dns, domain) : servers(context, dns, answer);
                })
                .compose(seen -> greet(context, seen));
    }

    private static Future<Evidence> itself(CheckContext context, DnsProbe dns, String domain) {
        Future<DnsResponse> v4 = dns.query(context, domain, Type.A);
        Future<DnsResponse> v6 = dns.query(context, domain, Type.AAAA);
        return server(0, domain, v4, v6).compose(server -> switch (server.state()) {
            case FOUND, PARTLY -> Future.succeededFuture(new Evidence(List.of(server), true));
            case INSIDE, UNKNOWN ->
                Future.failedFuture(v4.failed() && !DnsProbe.isBlocked(v6.cause()) ? v4.cause() : v6.cause());
            default -> Future.succeededFuture(new Evidence(List.of(), true));
        });
    }

    private static Future<Evidence> servers(CheckContext context, DnsProbe dns, DnsResponse answer) {
        List<MXRecord> records = answer.records().stream()
                .map(MXRecord.class::cast)
                .sorted(Comparator.comparingInt(MXRecord::getPriority)
                        .thenComparing(mx -> mx.getTarget().toString()))
                .toList();
        List<Future<Server>> servers = new ArrayList<>();
        for (MXRecord mx : records) {
            String host =
                    mx.getTarget().equals(Name.root) ? "." : mx.getTarget().toString(true);
            servers.add(
                    host.equals(".") || servers.size() >= MOST_LOOKED_UP
                            ? Future.succeededFuture(new Server(
                                    mx.getPriority(), host, Addresses.NOT_ASKED, List.of(), false, null, null))
                            : server(context, dns, mx.getPriority(), host));
        }
        return Future.all(servers)
                .map(all -> new Evidence(servers.stream().map(Future::result).toList(), false));
    }

    private static Future<Server> server(CheckContext context, DnsProbe dns, int preference, String host) {
        return server(preference, host, dns.query(context, host, Type.A), dns.query(context, host, Type.AAAA));
    }

    private static Future<Server> server(int preference, String host, Future<DnsResponse> v4, Future<DnsResponse> v6) {
        return Future.join(v4, v6).transform(both -> {
            List<InetAddress> ips = new ArrayList<>();
            boolean alias = false;
            boolean failed = false;
            for (Future<DnsResponse> one : List.of(v4, v6)) {
                if (one.succeeded()) {
                    ips.addAll(one.result().addresses());
                    alias |= !one.result().aliases().isEmpty();
                } else if (DnsProbe.isBlocked(one.cause())) {
                    return Future.succeededFuture(
                            new Server(preference, host, Addresses.INSIDE, List.of(), false, null, null));
                } else if (one.cause() instanceof CheckFailure) {
                    failed = true;
                } else {
                    return Future.failedFuture(one.cause());
                }
            }
            return Future.succeededFuture(
                    new Server(preference, host, state(!ips.isEmpty(), failed), List.copyOf(ips), alias, null, null));
        });
    }

    private static Addresses state(boolean some, boolean failed) {
        if (some) {
            return failed ? Addresses.PARTLY : Addresses.FOUND;
        }
        return failed ? Addresses.UNKNOWN : Addresses.NONE;
    }

    /**
     * Asks the first servers whether they offer encryption; who does not say stays unknown. Waiting
     * for the turn at a server takes none of its time, and when the turn does not come, the check has
     * to come again: what is not known then is our doing, not the server's.
     */
    private static Future<Evidence> greet(CheckContext context, Evidence seen) {
        long patience = Math.min(GREETING_MS, context.deadline().remainingMillis() / 2);
        List<Future<Server>> greeted = new ArrayList<>();
        int asked = 0;
        for (Server server : seen.servers()) {
            boolean ask = !server.ips().isEmpty() && asked < MOST_GREETED;
            asked += ask ? 1 : 0;
            greeted.add(
                    ask
                            ? greet(context, server, patience)
                                    .map(server::with)
                                    .recover(cause -> cause instanceof CheckFailure failure
                                                    && failure.error().code() != ErrorCode.DEADLINE_EXCEEDED
                                            ? Future.succeededFuture(server.unheard(
                                                    failure.error().code()))
                                            : Future.failedFuture(cause))
                            : Future.succeededFuture(server));
        }
        return Future.all(greeted)
                .map(all -> new Evidence(greeted.stream().map(Future::result).toList(), seen.implicit()));
    }

    private static Future<@Nullable Boolean> greet(CheckContext context, Server server, long patience) {
        Host host = new Host(server.host().toLowerCase(Locale.ROOT), null);
        return context.probe(TcpProbe.class)
                .talk(context, host, server.ips().get(0), SMTP, patience, patience, new SmtpGreetingScript())
                .map(talk -> SmtpGreetingScript.offersTls(talk.heard()));
    }

    private static String words(ErrorCode why) {
        return switch (why) {
            case CONNECT_REFUSED -> "the connection was refused";
            case CONNECT_UNREACHABLE -> "no way led there";
            case CONNECTION_RESET -> "the connection was cut off";
            case CONNECT_TIMEOUT, READ_TIMEOUT -> "no answer came";
            default -> "it may not be asked from here";
        };
    }

    @Override
    public Evaluation evaluate(Evidence seen, Options options) {
        return MxEvaluation.of(seen);
    }
}
