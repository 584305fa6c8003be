package dev.plumbline.module.mail.spf;

import dev.plumbline.module.mail.spf.SpfLookups.Question;
import dev.plumbline.module.mail.spf.SpfLookups.Response;
import dev.plumbline.module.mail.spf.SpfRecord.Kind;
import dev.plumbline.module.mail.spf.SpfRecord.Term;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/** Evaluates SPF records for a client (RFC 7208 section 4). A pure function of the DNS responses. */
final class SpfEvaluator {
    static final int MAX_LOOKUPS = 10;
    static final int MAX_VOID_LOOKUPS = 2;
    private static final int MAX_NAMES = 10;

    /** The results of RFC 7208 section 2.6. */
    enum Result {
        PASS,
        FAIL,
        SOFTFAIL,
        NEUTRAL,
        NONE,
        PERMERROR,
        TEMPERROR
    }

    /**
     * The end of an evaluation.
     *
     * @param result null if it cannot be determined here
     * @param matched the mechanism of the record that determines the result, null if there is none
     * @param detail the innermost mechanism that matched with its domain, or the reason of an error; null if there is
     *     none
     */
    record Outcome(@Nullable Result result, @Nullable String matched, @Nullable String detail) {}

    /** The evaluation ends with an error, or without a result. */
    private static final class AbortException extends RuntimeException {
        private final @Nullable Result result;

        AbortException(@Nullable Result result, String reason) {
            super(reason, null, false, false);
            this.result = result;
        }
    }

    private final SpfClient client;
    private final SpfLookups responses;
    private int lookups;
    private int voidLookups;

    private SpfEvaluator(SpfClient client, SpfLookups responses) {
        this.client = client;
        this.responses = responses;
    }

    /**
     * Evaluates the record of a domain.
     *
     * @throws SpfLookups.MissingException if responses are missing
     */
    static Outcome evaluate(String domain, SpfClient client, SpfLookups responses) {
        try {
            return new SpfEvaluator(client, responses).record(domain, domain, false);
        } catch (AbortException abort) {
            return new Outcome(abort.result, null, abort.getMessage());
        }
    }

    /** @param counted whether a missing record is a void lookup: the first lookup of a check is not */
    private Outcome record(String domain, String origin, boolean counted) {
        Response response = lookup(domain, Type.TXT, counted);
        List<String> records = SpfRecord.VERSION.records(response.texts());
        if (records.isEmpty()) {
            return new Outcome(Result.NONE, null, null);
        }
        if (records.size() > 1) {
            throw new AbortException(Result.PERMERROR, domain + " has several SPF records");
        }
        List<Term> terms = SpfRecord.parse(records.get(0)).terms();
        for (Term term : terms) {
            if (term.kind() == Kind.INVALID) {
                throw new AbortException(
                        Result.PERMERROR, position(term, domain, origin) + " is not valid: " + term.error());
            }
        }
        Term redirect = null;
        for (Term term : terms) {
            if (term.kind() == Kind.REDIRECT) {
                redirect = term;
                continue;
            }
            String match = match(term, domain, origin);
            if (match != null) {
                return new Outcome(result(term.qualifier()), term.text(), match);
            }
        }
        if (redirect == null) {
            return new Outcome(Result.NEUTRAL, null, null);
        }
        countLookup(redirect);
        return referenced(redirect, domain, origin);
    }

    /** The outcome of the record to which a term refers. */
    private Outcome referenced(Term term, String domain, String origin) {
        Outcome outcome = record(expand(term, domain), origin, true);
        if (outcome.result() == Result.NONE) {
            throw new AbortException(
                    Result.PERMERROR, position(term, domain, origin) + " references a domain without an SPF record");
        }
        return outcome;
    }

    private static Result result(String qualifier) {
        return switch (qualifier) {
            case "-" -> Result.FAIL;
            case "~" -> Result.SOFTFAIL;
            case "?" -> Result.NEUTRAL;
            default -> Result.PASS;
        };
    }

    private static String position(Term term, String domain, String origin) {
        return term.text() + (domain.equals(origin) ? "" : " in " + domain);
    }

    private void countLookup(Term term) {
        if (term.kind().looksUp() && ++lookups > MAX_LOOKUPS) {
            throw new AbortException(Result.PERMERROR, "the evaluation requires more than 10 DNS lookups");
        }
    }

    /** The position of the mechanism that matches the client, in an included record if there is one; null if none. */
    private @Nullable String match(Term term, String domain, String origin) {
        countLookup(term);
        if (term.kind() == Kind.INCLUDE) {
            Outcome included = referenced(term, domain, origin);
            return included.result() == Result.PASS ? included.detail() : null;
        }
        boolean matches =
                switch (term.kind()) {
                    case ALL -> true;
                    case IP4, IP6 -> term.network() != null && client.matches(term.network(), term.prefix());
                    case A -> matchesAddress(term, lookup(expand(term, domain), addressType(), true));
                    case MX -> matchesMx(term, expand(term, domain));
                    case PTR -> matchesPtr(expand(term, domain));
                    case EXISTS ->
                        !lookup(expand(term, domain), SpfLookups.EXISTS, true)
                                .addresses()
                                .isEmpty();
                    default -> false;
                };
        return matches ? position(term, domain, origin) : null;
    }

    private int addressType() {
        return client.isV4() ? Type.A : Type.AAAA;
    }

    private boolean matchesAddress(Term term, Response response) {
        int prefix = client.isV4() ? term.prefix() : term.prefix6();
        int bits = prefix < 0 ? client.address().getAddress().length * 8 : prefix;
        return response.addresses().stream().anyMatch(address -> client.matches(address, bits));
    }

    private boolean matchesMx(Term term, String domain) {
        List<String> hosts = lookup(domain, Type.MX, true).names();
        if (hosts.size() > MAX_NAMES) {
            throw new AbortException(Result.PERMERROR, domain + " has more than 10 MX records");
        }
        responses.require(
                hosts.stream().map(host -> new Question(host, addressType())).toList());
        return hosts.stream().anyMatch(host -> matchesAddress(term, lookup(host, addressType(), false)));
    }

    private boolean matchesPtr(String domain) {
        countVoid(responses.get(new Question(client.reverseName(), Type.PTR)));
        return validatedNames().stream().anyMatch(name -> isBelow(name, domain));
    }

    private static boolean isBelow(String name, String domain) {
        return ("." + name).endsWith("." + domain.toLowerCase(Locale.ROOT));
    }

    /** The names of the client's PTR records that have its address (RFC 7208 section 5.5). */
    private List<String> validatedNames() {
        Response ptr = responses.get(new Question(client.reverseName(), Type.PTR));
        requireDetermined(ptr, client.reverseName());
        List<String> names = ptr.names().stream().limit(MAX_NAMES).toList();
        responses.require(
                names.stream().map(name -> new Question(name, addressType())).toList());
        return names.stream()
                .filter(name -> {
                    Response response = responses.get(new Question(name, addressType()));
                    requireDetermined(response, name);
                    return response.addresses().contains(client.address());
                })
                .toList();
    }

    /** Prefers the domain itself, then its subdomains (RFC 7208 section 7.3). */
    private String validatedName(String domain) {
        List<String> names = validatedNames();
        return names.stream()
                .filter(domain::equalsIgnoreCase)
                .findFirst()
                .or(() -> names.stream().filter(name -> isBelow(name, domain)).findFirst())
                .or(() -> names.stream().findFirst())
                .orElse("unknown");
    }

    private String expand(Term term, String domain) {
        if (term.domain() == null) {
            return domain;
        }
        String name = SpfMacros.expand(term.domain(), letter -> switch (letter) {
            case 's' -> client.sender();
            case 'l' -> client.local();
            case 'o' -> client.senderDomain();
            case 'd' -> domain;
            case 'i' -> client.dotted();
            case 'p' -> validatedName(domain);
            case 'v' -> client.isV4() ? "in-addr" : "ip6";
            default -> client.helo();
        });
        return name == null ? domain : name;
    }

    /** @param counted whether an empty response is a void lookup of a term */
    private Response lookup(String name, int type, boolean counted) {
        Response response = SpfMacros.hasValidLabels(name)
                ? responses.get(new Question(name, type))
                : Response.of(SpfLookups.Status.INVALID_NAME);
        requireDetermined(response, name);
        if (response.status() == SpfLookups.Status.FAILURE) {
            String records = type == SpfLookups.EXISTS ? "A" : Type.string(type);
            throw new AbortException(Result.TEMPERROR, "the " + records + " lookup for " + name + " failed");
        }
        if (counted) {
            countVoid(response);
        }
        return response;
    }

    private void countVoid(Response response) {
        if (response.isVoid() && ++voidLookups > MAX_VOID_LOOKUPS) {
            throw new AbortException(Result.PERMERROR, "more than 2 lookups return no records");
        }
    }

    private static void requireDetermined(Response response, String name) {
        switch (response.status()) {
            case PRIVATE -> throw new AbortException(null, name + " belongs to a private network");
            case LIMIT -> throw new AbortException(null, "the check reached its limit of DNS queries");
            default -> {}
        }
    }
}
