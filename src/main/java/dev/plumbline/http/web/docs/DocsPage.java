package dev.plumbline.http.web.docs;

import com.google.common.base.Strings;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ServiceLinks;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.layout.DisplayedLimits;
import dev.plumbline.http.web.layout.EnabledInterfaces;
import dev.plumbline.http.web.layout.EncodedBody;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.target.PrintableText;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The API reference, generated from openapi.json: {@code /docs} with all entries and problem types, one page for each
 * tag, one for the schemas of each tag, and a search. The type of a problem is an anchor of {@code /docs}. swagger-ui
 * would require scripts and inline styles, and has 500 KB.
 */
public final class DocsPage implements PageRoutes.Pages {
    private static final String INDEX = ServiceLinks.DOCUMENTATION;
    private static final int MAX_QUERY_LENGTH = 200;

    private final PageRenderer pages;
    private final ProblemResponder problems;
    private final ApiReference reference;
    private final ReferenceSearch search;
    private final EnabledInterfaces interfaces;
    /** The rendered pages, by path and whether they have an account link. */
    private final Map<Rendering, EncodedBody> rendered = new ConcurrentHashMap<>();

    private record Rendering(String path, boolean session) {}

    /**
     * The content of a page.
     *
     * @param path of the page
     * @param tag null on the index
     */
    public record View(
            ApiReference reference, EnabledInterfaces interfaces, String path, ApiReference.@Nullable Tag tag) {}

    /** The content of the search page. */
    public record Results(ApiReference reference, String path, ReferenceSearch.Matches matches) {}

    public DocsPage(
            PageRenderer pages,
            ProblemResponder problems,
            ApiContract contract,
            DisplayedLimits limits,
            EnabledInterfaces interfaces) {
        this.interfaces = interfaces;
        this.pages = pages;
        this.problems = problems;
        this.reference = ApiReferenceReader.read(
                contract.published(), pages.site().publicUrl(), pages.site().basePath(), limits);
        this.search = new ReferenceSearch(contract.published(), reference);
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(INDEX, "docs", ctx -> {
            ctx.response().putHeader("Link", ServiceLinks.header(pages.site().publicUrl()));
            send(ctx, "docs", INDEX, null, "API reference");
        });
        routes.get(INDEX + "/search", "docs-search", this::search);
        routes.get(INDEX + "/:tag", "docs-tag", ctx -> {
            ApiReference.Tag tag = tag(ctx);
            if (tag != null) {
                send(ctx, "docstag", tag.path(), tag, tag.title() + ": API reference");
            }
        });
        routes.get(INDEX + "/:tag/schemas", "docs-schemas", ctx -> {
            ApiReference.Tag tag = tag(ctx);
            if (tag != null) {
                send(ctx, "docsschemas", tag.schemasPath(), tag, tag.title() + ": schemas");
            }
        });
    }

    /** The tag that the path names; null if it does not exist, after sending a 404. */
    private ApiReference.@Nullable Tag tag(RoutingContext ctx) {
        String name = ctx.pathParam("tag");
        boolean schemas = ctx.request().path().endsWith("/schemas");
        for (ApiReference.Tag tag : reference.tags()) {
            if (tag.name().equals(name) && !(schemas && tag.schemas().isEmpty())) {
                return tag;
            }
        }
        problems.send(ctx, Problem.notFound("This page does not exist. " + INDEX + " lists all pages."));
        return null;
    }

    private void send(RoutingContext ctx, String template, String path, ApiReference.@Nullable Tag tag, String title) {
        Rendering key = new Rendering(path, pages.hasSessionCookie(ctx));
        pages.send(ctx, rendered.computeIfAbsent(key, missing -> {
            PageInfo info = PageInfo.indexed(
                    title,
                    "Operations with parameters, request and response bodies, examples and problem types.",
                    "api",
                    path);
            View view = new View(reference, interfaces, path, tag);
            return EncodedBody.fast(pages.render(info, missing.session(), template, view));
        }));
    }

    private void search(RoutingContext ctx) {
        String query = PrintableText.cut(Strings.nullToEmpty(ctx.queryParams().get("q")), MAX_QUERY_LENGTH);
        PageInfo info = PageInfo.unlisted("Search the API reference", "Operations, parameters and schemas.", "api");
        pages.show(ctx, info, "docssearch", new Results(reference, INDEX + "/search", search.matching(query)));
    }
}
