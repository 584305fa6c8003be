package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Host;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OptionDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Every step on the way from a URL to the page that it leads to. */
@AutoService(ModuleDefinition.class)
public final class RedirectChain implements ModuleDefinition<RedirectTrace> {
    private static final String MAX_REDIRECTS = "max_redirects";
    private static final int LONG_CHAIN = 4;
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    /** What RFC 3986 lets stand in a URL reference; a stray percent sign is not looked for. */
    private static final Pattern URI_CHARACTERS = Pattern.compile("[A-Za-z0-9._~:/?#\\[\\]@!$&'()*+,;=%-]*");

    private static final FindingCode LOOP = new FindingCode(
            "redirect_loop",
            Level.FAIL,
            "loop",
            "The redirects lead back to an address that was asked before, so nobody ever arrives.",
            "Find the rule that sends visitors back, and take it out. A page that redirects to itself"
                    + " until a cookie comes back looks like this to everyone without cookies.",
            "RFC 9110 section 15.4");
    private static final FindingCode TOO_MANY = new FindingCode(
            "too_many_redirects",
            Level.FAIL,
            "hop_count",
            "The redirects did not end within the number allowed.",
            "Let the first address redirect straight to the last, or allow more with max_redirects;"
                    + " browsers give up after about 20.",
            "RFC 9110 section 15.4");
    private static final FindingCode ENDS_IN_ERROR = new FindingCode(
            "ends_in_error",
            Level.FAIL,
            "final_status",
            "The last address answers with an error instead of a page.",
            "Redirect to a page that is there, or mend the one at the end of the chain.",
            "RFC 9110 sections 15.5 and 15.6");
    private static final FindingCode NO_LOCATION = new FindingCode(
            "redirect_without_location",
            Level.WARN,
            "final_status",
            "The last answer is a redirect that does not say where to go.",
            "Send a Location header with the redirect.",
            "RFC 9110 section 10.2.2");
    private static final FindingCode DOWNGRADE = new FindingCode(
            "https_downgrade",
            Level.WARN,
            "https_downgrade",
            "A redirect leads from an encrypted address to one that is not.",
            "Redirect to the https address instead, or whoever is on the way can read and change what" + " follows.",
            "RFC 6797 section 2.3.1");
    private static final FindingCode LONG = new FindingCode(
            "long_redirect_chain",
            Level.WARN,
            "hop_count",
            "It takes many redirects to arrive.",
            "Let the first address redirect straight to the last; each step costs a visitor time.",
            null);
    private static final FindingCode SEVERAL = new FindingCode(
            "several_redirects",
            Level.INFO,
            "hop_count",
            "It takes more than one redirect to arrive.",
            "Where one redirect could do, let the first address lead straight to the last.",
            null);
    private static final FindingCode MIXED = new FindingCode(
            "mixed_permanence",
            Level.INFO,
            "mixed_permanence",
            "Some redirects are for good and some for now, so search engines may keep the old" + " address.",
            "Use 301 or 308 for every step that is meant to last.",
            "RFC 9110 sections 15.4.2, 15.4.3, 15.4.8 and 15.4.9");
    private static final FindingCode TEMPORARY = new FindingCode(
            "temporary_redirect",
            Level.INFO,
            "hops",
            "The address has moved only for now, so links and search engines keep it.",
            "If the move is meant to last, use 301 or 308.",
            "RFC 9110 sections 15.4.3 and 15.4.8");
    private static final FindingCode CROSS_DOMAIN = new FindingCode(
            "cross_domain",
            Level.INFO,
            "cross_domain",
            "The redirects lead to another domain.",
            "Nothing needs to be done, unless you do not know that domain.",
            null);
    private static final FindingCode ODD_LOCATION = new FindingCode(
            "location_malformed",
            Level.WARN,
            "hops",
            "A redirect names its target with characters that no URL can have.",
            "Percent-encode them in the Location header; clients differ in what they make of them.",
            "RFC 3986 section 2");
    private static final FindingCode REFRESH = new FindingCode(
            "refresh_not_followed",
            Level.INFO,
            "final_url",
            "The last page asks browsers to go on by a Refresh header, which is not followed here.",
            "Use a redirect with a status of 301, 302, 307 or 308 instead.",
            "HTML Living Standard, The `Refresh` header");

    private static final ModuleDescription DESCRIPTION = ModuleDescription.of(
                    "redirect-chain", "Redirect chain", InputType.URL)
            .summary("Follows a URL from redirect to redirect and shows every step: where it leads, how"
                    + " long it takes, and whether the way is safe and short.")
            .category("web")
            .example("http://example.com/", "http://example.com/old-page")
            .connects()
            .options(OptionDescription.integer(
                    MAX_REDIRECTS, "Most redirects", "More redirects than this are not followed.", 10, 0, 20))
            .fields(
                    FieldDescription.table(
                            "hops",
                            "Redirects",
                            "Every redirect on the way, in order.",
                            FieldDescription.string("url", "URL", "The URL that redirects."),
                            FieldDescription.integer("status", "Status", "The status code of the redirect."),
                            FieldDescription.string("location", "Location", "Where it leads, as the server wrote it."),
                            FieldDescription.integer("time_ms", "Time", "How long this request took, in ms."),
                            FieldDescription.string("ip", "Address", "The IP address that answered.")),
                    FieldDescription.integer("hop_count", "Redirects", "How many redirects there are."),
                    FieldDescription.string(
                            "final_url",
                            "Final URL",
                            "Where the redirects end. Where they go in a circle: the URL that they come back to;"
                                    + " where there are too many, or one may not be followed: the last that was"
                                    + " asked and redirects on; where one does not answer: that one."),
                    FieldDescription.integer(
                                    "final_status",
                                    "Final status",
                                    "The status code of the page at the end; null where there is no end to reach.")
                            .orNull(),
                    FieldDescription.bool("loop", "Loop", "Whether the redirects go in a circle."),
                    FieldDescription.bool(
                            "https_downgrade", "Loses encryption", "Whether a redirect leads from https to http."),
                    FieldDescription.bool(
                            "cross_domain",
                            "Leaves the domain",
                            "Whether a redirect leads to a domain that is registered by itself, as"
                                    + " example.org is beside example.com."),
                    FieldDescription.bool(
                            "mixed_permanence",
                            "Permanent and temporary",
                            "Whether some redirects are permanent (301, 308) and others temporary (302, 303,"
                                    + " 307)."))
            .findings(
                    LOOP,
                    TOO_MANY,
                    ENDS_IN_ERROR,
                    NO_LOCATION,
                    DOWNGRADE,
                    LONG,
                    SEVERAL,
                    MIXED,
                    TEMPORARY,
                    CROSS_DOMAIN,
                    ODD_LOCATION,
                    REFRESH)
            .build();

    @Override
    public ModuleDescription description() {
        return DESCRIPTION;
    }

    @Override
    public Future<RedirectTrace> collect(Target target, CheckContext context) {
        HttpRequestSpec call = HttpRequestSpec.get((Target.Url) target, 0);
        int redirects = (int) context.options().integer(MAX_REDIRECTS);
        return context.probe(HttpProbe.class).follow(context, call, redirects);
    }

    @Override
    public Evaluation evaluate(RedirectTrace journey, Options options) {
        List<HttpExchange> hops =
                journey.hops().stream().filter(HttpExchange::redirects).toList();
        HttpExchange last = journey.last();
        HttpExchange end = last == null || last.redirects() ? null : last;
        CheckError error = journey.error();
        boolean loop = error != null && error.code() == ErrorCode.REDIRECT_LOOP;
        boolean crossDomain = hops.stream().anyMatch(hop -> !owner(hop.url()).equals(owner(journey.url())));
        long permanent = hops.stream().filter(RedirectChain::permanent).count();
        boolean mixed = permanent > 0 && permanent < hops.size();

        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("hops", hops.stream().map(RedirectChain::row).toList());
        fields.put("hop_count", hops.size());
        fields.put("final_url", journey.url().text());
        fields.put("final_status", end == null ? null : end.status());
        fields.put("loop", loop);
        fields.put("https_downgrade", journey.downgraded());
        fields.put("cross_domain", crossDomain);
        fields.put("mixed_permanence", mixed);

        List<Finding> found = new ArrayList<>();
        if (loop) {
            found.add(LOOP.found());
        }
        if (error != null && error.code() == ErrorCode.TOO_MANY_REDIRECTS) {
            found.add(TOO_MANY.found(error.message()));
        }
        if (end != null) {
            end(end, found);
        }
        if (journey.downgraded()) {
            found.add(DOWNGRADE.found());
        }
        if (end != null && hops.size() > 1) {
            FindingCode length = hops.size() >= LONG_CHAIN ? LONG : SEVERAL;
            found.add(length.found("It takes " + hops.size() + " redirects to arrive."));
        }
        if (mixed && !loop) {
            found.add(MIXED.found());
        } else if (permanent == 0 && !hops.isEmpty() && !loop) {
            found.add(TEMPORARY.found());
        }
        if (crossDomain) {
            found.add(CROSS_DOMAIN.found());
        }
        if (hops.stream().anyMatch(hop -> !URI_CHARACTERS.matcher(location(hop)).matches())) {
            found.add(ODD_LOCATION.found());
        }
        return new Evaluation(fields, found, error);
    }

    private static void end(HttpExchange end, List<Finding> found) {
        if (end.status() >= 400) {
            found.add(ENDS_IN_ERROR.found("The last address answers with the error " + end.status() + "."));
        }
        switch (end.status()) {
            case 301, 302, 303, 307, 308 -> found.add(NO_LOCATION.found());
            default -> {}
        }
        if (end.headers().has("refresh")) {
            found.add(REFRESH.found());
        }
    }

    private static Map<String, @Nullable Object> row(HttpExchange hop) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("url", hop.url().text());
        row.put("status", hop.status());
        row.put("location", location(hop));
        row.put("time_ms", Math.round(hop.timings().totalMs()));
        row.put("ip", hop.ip());
        return row;
    }

    private static String location(HttpExchange hop) {
        return String.valueOf(hop.headers().firstText("location"));
    }

    private static boolean permanent(HttpExchange hop) {
        return hop.status() == 301 || hop.status() == 308;
    }

    private static String owner(Target.Url url) {
        Host host = url.host();
        return host.literal() == null ? DOMAINS.of(host.name()) : host.name();
    }
}
