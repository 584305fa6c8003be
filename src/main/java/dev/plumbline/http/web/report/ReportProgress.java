package dev.plumbline.http.web.report;

import dev.plumbline.check.CompositePart;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.layout.PageStream;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.UnicodeName;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The report page of a composite check in progress. If the check does not complete within a second, the page is sent in
 * parts: a row for each part of the check when its result is cached, and the report at the end. Used on the event loop
 * of the request.
 */
public final class ReportProgress {
    private static final long DELAY_MS = 1_000;
    private static final long POLL_MS = 500;

    private final RoutingContext ctx;
    private final Vertx vertx;
    private final PageRenderer pages;
    private final InstantCheckService checks;
    private final Map<ResultKey, ModuleDescription> missing = new LinkedHashMap<>();
    private @Nullable PageStream stream;
    private long timer;

    /**
     * The start of the page.
     *
     * @param target normalized
     * @param parts the parts of the check
     */
    public record Start(ModuleDescription module, String target, List<CompositePart> parts) {
        public UnicodeName name() {
            return UnicodeName.of(target);
        }
    }

    ReportProgress(RoutingContext ctx, PageRenderer pages, InstantCheckService checks) {
        this.ctx = ctx;
        this.vertx = ctx.vertx();
        this.pages = pages;
        this.checks = checks;
    }

    /** @param end sends the report or the problem; receives the page whose first part has been sent, or null */
    void await(
            Future<InstantOutcome> check,
            PageInfo page,
            Start start,
            BiConsumer<AsyncResult<InstantOutcome>, @Nullable PageStream> end) {
        timer = vertx.setTimer(DELAY_MS, elapsed -> begin(page, start));
        ctx.addEndHandler(ended -> vertx.cancelTimer(timer));
        check.onComplete(outcome -> {
            vertx.cancelTimer(timer);
            if (stream != null) {
                stream.write("progressend", start);
            }
            end.accept(outcome, stream);
        });
    }

    private void begin(PageInfo page, Start start) {
        for (CompositePart part : start.parts()) {
            add(part, part.target(start.target(), null));
        }
        stream = pages.stream(ctx, page);
        stream.write("progressstart", start);
        poll(start);
    }

    /** @param target null if it is not determined yet */
    private void add(CompositePart part, @Nullable String target) {
        ModuleDescription module = part.module();
        try {
            if (target != null) {
                Options options = Options.defaults(module);
                missing.put(ResultKey.of(module.module(), TargetParser.parse(module, target), options.key()), module);
            }
        } catch (InvalidTargetException rejected) {
            // the report shows the error of this part
        }
    }

    private void poll(Start start) {
        PageStream page = stream;
        if (page == null || page.closed() || missing.isEmpty()) {
            return;
        }
        List<Map.Entry<ResultKey, ModuleDescription>> pending = List.copyOf(missing.entrySet());
        checks.results().find(pending.stream().map(Map.Entry::getKey).toList()).onComplete(found -> {
            if (page.closed()) {
                return;
            }
            if (found.succeeded()) {
                show(page, start, pending, found.result());
            }
            timer = vertx.setTimer(POLL_MS, elapsed -> poll(start));
        });
    }

    private void show(
            PageStream page,
            Start start,
            List<Map.Entry<ResultKey, ModuleDescription>> pending,
            List<@Nullable RenderedResult> results) {
        for (int i = 0; i < pending.size(); i++) {
            RenderedResult result = results.get(i);
            if (result != null) {
                ModuleDescription module = pending.get(i).getValue();
                missing.remove(pending.get(i).getKey());
                page.write("part", ReportViewBuilder.part(module, new JsonObject(result.cachedBody())));
                if (module.module().equals(CompositePart.MX_MODULE)) {
                    addMailParts(start, result);
                }
            }
        }
    }

    private void addMailParts(Start start, RenderedResult mx) {
        CompositePart.MailServer mailServer = CompositePart.mailServer(mx.parse());
        start.parts().stream()
                .filter(CompositePart::needsMailServer)
                .forEach(part -> add(part, part.target(start.target(), mailServer)));
    }
}
