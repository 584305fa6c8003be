package dev.plumbline.module.web;

import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Level;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.RedirectTrace;
import java.util.ArrayList;
import java.util.List;

/** What modules that judge one page say where redirects led to another than was asked for. */
final class RedirectFindings {
    /** A module that tells of it declares it among its findings. */
    static final FindingCode CODE = new FindingCode(
            "redirected",
            Level.INFO,
            null,
            "What was judged is another page, to which the address redirects.",
            "Nothing needs to be done, if that is the page you mean; redirect-chain shows the way to" + " it.",
            "RFC 9110 section 15.4");

    private RedirectFindings() {}

    /** The same judgement, which says at its end which page was judged, where redirects led to it. */
    static Evaluation told(RedirectTrace journey, Evaluation judgement) {
        return told(journey, judgement, "The page judged", "the address");
    }

    /**
     * As {@link #told(RedirectTrace, Evaluation)}, in other words.
     *
     * @param judged the subject of the sentence
     * @param asked what redirects
     */
    static Evaluation told(RedirectTrace journey, Evaluation judgement, String judged, String asked) {
        HttpExchange page = journey.page();
        if (page == null || journey.hops().size() < 2) {
            return judgement;
        }
        List<Finding> found = new ArrayList<>(judgement.findings());
        found.add(CODE.found(judged + " is " + page.url().text() + ", to which " + asked + " redirects."));
        return new Evaluation(judgement.fields(), found, judgement.error());
    }
}
