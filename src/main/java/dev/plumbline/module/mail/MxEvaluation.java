package dev.plumbline.module.mail;

import static dev.plumbline.module.mail.MxDescription.ALIAS;
import static dev.plumbline.module.mail.MxDescription.IMPLICIT;
import static dev.plumbline.module.mail.MxDescription.INSIDE;
import static dev.plumbline.module.mail.MxDescription.IS_ADDRESS;
import static dev.plumbline.module.mail.MxDescription.MANY;
import static dev.plumbline.module.mail.MxDescription.NOT_ASKED;
import static dev.plumbline.module.mail.MxDescription.NO_IPV6;
import static dev.plumbline.module.mail.MxDescription.NO_SERVER;
import static dev.plumbline.module.mail.MxDescription.NO_TLS;
import static dev.plumbline.module.mail.MxDescription.NO_USABLE;
import static dev.plumbline.module.mail.MxDescription.NULL_MX;
import static dev.plumbline.module.mail.MxDescription.NULL_MX_AND_MORE;
import static dev.plumbline.module.mail.MxDescription.SINGLE;
import static dev.plumbline.module.mail.MxDescription.TWICE;
import static dev.plumbline.module.mail.MxDescription.UNKNOWN;
import static dev.plumbline.module.mail.MxDescription.UNRESOLVABLE;

import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.IpAddressText;
import dev.plumbline.module.mail.Mx.Addresses;
import dev.plumbline.module.mail.Mx.Evidence;
import dev.plumbline.module.mail.Mx.Server;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What {@link Mx} makes of the servers that it saw. Pure. */
final class MxEvaluation {
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

    private MxEvaluation() {}

    static Evaluation of(Evidence seen) {
        List<Server> servers = seen.servers();
        boolean none = servers.stream().anyMatch(Server::none);
        List<String> unresolvable = hosts(servers.stream().filter(s -> s.state() == Addresses.NONE));
        List<String> aliases = hosts(servers.stream().filter(Server::alias));
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put(
                "records",
                servers.stream()
                        .filter(s -> !s.passedOver())
                        .map(MxEvaluation::row)
                        .toList());
        fields.put("null_mx", none && servers.size() == 1);
        fields.put("implicit", seen.implicit() && !servers.isEmpty());
        fields.put("unresolvable", unresolvable);
        fields.put("points_to_cname", seen.implicit() ? List.of() : aliases);

        List<Finding> found = new ArrayList<>();
        if (servers.isEmpty()) {
            found.add(NO_SERVER.found());
        } else if (seen.implicit()) {
            found.add(IMPLICIT.found());
        } else if (none) {
            found.add(servers.size() == 1 ? NULL_MX.found() : NULL_MX_AND_MORE.found());
        }
        List<Server> named = servers.stream().filter(server -> !server.none()).toList();
        if (!named.isEmpty()) {
            hosts(named, unresolvable, seen.implicit() ? List.of() : aliases, found);
        }
        return Evaluation.of(fields, found);
    }

    private static void hosts(
            List<Server> named, List<String> unresolvable, List<String> aliases, List<Finding> found) {
        List<String> literal = hosts(
                named.stream().filter(server -> ADDRESS.matcher(server.host()).matches()));
        List<String> inside = hosts(named.stream().filter(s -> s.state() == Addresses.INSIDE));
        inside.removeAll(literal);
        List<String> unknown = hosts(named.stream().filter(s -> s.state() == Addresses.UNKNOWN));
        List<String> partly = hosts(named.stream().filter(s -> s.state() == Addresses.PARTLY));
        List<String> open = hosts(named.stream().filter(s -> Boolean.FALSE.equals(s.tls())));
        List<Server> usable = named.stream()
                .filter(s -> s.state() != Addresses.NONE && s.state() != Addresses.INSIDE)
                .toList();
        if (usable.isEmpty()) {
            found.add(NO_USABLE.found());
        }
        name(IS_ADDRESS, literal, "must be a host name, not an address", found);
        name(UNRESOLVABLE, unresolvable, "has no address", found);
        name(INSIDE, inside, "belongs to a private network", found);
        name(ALIAS, aliases, "is an alias (CNAME)", found);
        name(UNKNOWN, unknown, "could not be looked up", found);
        name(UNKNOWN, partly, "could be looked up for one kind of address only", found);
        name(NO_TLS, open, "does not offer encryption (STARTTLS)", found);
        List<String> all = named.stream().map(Server::host).toList();
        if (all.stream().distinct().count() < all.size()) {
            found.add(TWICE.found());
        }
        if (named.size() == 1) {
            found.add(SINGLE.found());
        }
        if (named.stream().anyMatch(Server::passedOver)) {
            found.add(MANY.found(String.format(
                    Locale.ROOT,
                    "There are %,d mail servers; only the first %d were looked up and are listed.",
                    named.size(),
                    Mx.MOST_LOOKED_UP)));
        }
        boolean six = named.stream().flatMap(s -> s.ips().stream()).anyMatch(ip -> ip.getAddress().length == 16);
        if (!usable.isEmpty() && usable.stream().allMatch(s -> s.state() == Addresses.FOUND) && !six) {
            found.add(NO_IPV6.found());
        }
        List<String> unheard = named.stream()
                .filter(server -> server.unheard() != null)
                .map(server -> server.host() + " (" + server.unheard() + ")")
                .distinct()
                .toList();
        if (!unheard.isEmpty()) {
            found.add(NOT_ASKED.found("Nothing is known of the encryption of "
                    + TruncatedList.of(unheard)
                    + ". Many networks let nobody out on port 25, so this need not be the server's"
                    + " fault."));
        }
    }

    private static void name(FindingCode code, List<String> hosts, String what, List<Finding> found) {
        if (!hosts.isEmpty()) {
            found.add(code.found(
                    hosts.size() == 1
                            ? "The mail server " + hosts.get(0) + " " + what + "."
                            : "Of these mail servers each " + what + ": " + TruncatedList.of(hosts) + "."));
        }
    }

    private static List<String> hosts(Stream<Server> servers) {
        return new ArrayList<>(servers.map(Server::host).distinct().toList());
    }

    private static Map<String, @Nullable Object> row(Server server) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("preference", server.preference());
        row.put("host", server.host());
        row.put("ips", server.ips().stream().map(IpAddressText::format).toList());
        row.put("tls", server.tls());
        return row;
    }
}
