package dev.plumbline.http.web.policy;

import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.policy.BuiltInPolicies;
import dev.plumbline.policy.Policy;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /policies}: the list of policies. {@code /policies/{name}}: the rules of a policy. */
public final class PolicyPages implements PageRoutes.Pages {
    private final PageRenderer pages;
    private final PolicyService policies;

    public PolicyPages(PageRenderer pages, PolicyService policies) {
        this.pages = pages;
        this.policies = policies;
    }

    /** All policies, sorted by name. */
    public record PolicyList(List<Policy> policies) {}

    /**
     * A policy.
     *
     * @param command of the command line that applies it to a result of its first module; null for a policy of the
     *     operator, whose file the command needs
     * @param curl the same with the API
     */
    public record PolicyRules(Policy policy, @Nullable String command, String curl) {}

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/policies", "policies", this::list);
        routes.get("/policies/:name", "policy", this::policy);
    }

    private void list(RoutingContext ctx) {
        PageInfo page = PageInfo.indexed("Policies", "Rules that results of checks can meet.", "tools", "/policies");
        RequestFutures.handle(ctx, policies.all(), all -> pages.show(ctx, page, "policies", new PolicyList(all)));
    }

    private void policy(RoutingContext ctx) {
        RequestFutures.handle(ctx, policies.get(ctx.pathParam("name")), policy -> {
            PageInfo page = PageInfo.indexed(
                    policy.title(), "The rules of " + policy.title() + ".", "tools", "/policies/" + policy.name());
            pages.show(ctx, page, "policy", rules(policy));
        });
    }

    private PolicyRules rules(Policy policy) {
        String module = policy.modules().keySet().iterator().next();
        String target = "example.com";
        return new PolicyRules(
                policy,
                BuiltInPolicies.names().contains(policy.name())
                        ? "plumbline check " + module + " " + target + " --policy " + policy.name()
                        : null,
                "curl '" + pages.site().publicUrl() + Links.instant(module, target, Map.of("policy", policy.name()))
                        + "'");
    }
}
