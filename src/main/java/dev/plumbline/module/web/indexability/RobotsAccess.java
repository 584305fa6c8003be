package dev.plumbline.module.web.indexability;

import dev.plumbline.check.CheckContext;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.robots.RobotsFile;
import dev.plumbline.robots.RobotsMatcher;
import dev.plumbline.robots.RobotsStandard;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether the robots.txt of a site allows a crawler to fetch URLs of this site.
 *
 * @param url the URL of the robots.txt
 * @param status the last status code; null if no response was received
 * @param unreachable whether the crawler treats all URLs as disallowed because of the status
 * @param disallowed the first URL that a rule disallows; null if all are allowed
 * @param error why the file is unknown; null if it is known
 */
record RobotsAccess(
        Target.Url url,
        @Nullable Integer status,
        boolean unreachable,
        @Nullable Disallowed disallowed,
        @Nullable CheckError error) {

    /** @param group the User-agent of the group with the rule */
    record Disallowed(Target.Url url, String rule, String group) {}

    /** @param urls of one site, at least one */
    static Future<RobotsAccess> of(CheckContext context, List<Target.Url> urls, String agent) {
        Target.Url url = urls.get(0).at("/robots.txt");
        return context.probe(HttpProbe.class).page(context, url).compose(trace -> {
            HttpExchange response = trace.page();
            Future<RobotsAccess> access = response == null || trace.error() != null || response.status() / 100 != 2
                    ? Future.succeededFuture(withoutFile(url, trace, RobotsStandard.of(agent)))
                    : context.executeBlocking(
                            () -> of(url, response.status(), response.content(HttpProbe.PAGE_BYTES), urls, agent));
            return access.onComplete(read -> trace.releaseBodies(context));
        });
    }

    private static RobotsAccess withoutFile(Target.Url url, RedirectTrace trace, RobotsStandard standard) {
        HttpExchange last = trace.last();
        Integer status = last == null ? null : last.status();
        CheckError error = trace.error();
        // crawlers treat a file that redirects do not reach as missing
        boolean missing = error != null && error.code().answered();
        boolean unreachable = error == null && status != null && standard.disallowsAll(status);
        return new RobotsAccess(url, status, unreachable, null, missing ? null : error);
    }

    static RobotsAccess of(Target.Url url, int status, HttpBody file, List<Target.Url> urls, String agent) {
        RobotsFile rules = RobotsFile.parse(file.shared(), file.truncated(), RobotsStandard.of(agent));
        RobotsMatcher matcher = RobotsMatcher.of(rules, agent);
        for (Target.Url each : urls) {
            String rule = matcher.disallowedBy(each.pathAndQuery());
            if (rule != null) {
                return new RobotsAccess(url, status, false, new Disallowed(each, rule, matcher.agent()), null);
            }
        }
        return new RobotsAccess(url, status, false, null, null);
    }

    boolean allowed() {
        return !unreachable && disallowed == null;
    }
}
