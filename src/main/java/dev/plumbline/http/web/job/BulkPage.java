package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.PageKeyStore;
import dev.plumbline.check.InputType;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.body.UploadForm;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.tool.OptionField;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code /bulk}: many lines for one tool. */
public final class BulkPage implements PageRoutes.Pages {
    public static final String PATH = "/bulk";

    // an option's name has no hyphen
    static final String TOOL = "bulk-tool";
    static final String LINES = "bulk-lines";
    static final String FILE = "bulk-file";
    static final String COLUMN = "bulk-column";
    static final String HEADING = "bulk-heading";
    static final String FRESH = "bulk-fresh";
    static final String ONCE = "bulk-once";
    static final String STEP = "bulk-step";

    private static final int SMALL_BYTES = 64 << 10;
    private static final int ONCE_BYTES = 12;
    private static final Pattern ONCE_FORM = Pattern.compile("[A-Za-z0-9_-]{16}");
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,3}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final AccountAccess members;
    private final RequestBodyReader bodies;
    private final Duration patience;
    private final PageJobService jobs;
    private final PageKeyStore keys;

    public BulkPage(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.modules = needs.modules();
        this.members = new AccountAccess(needs);
        this.bodies = needs.bodies();
        this.patience = needs.patience();
        this.jobs = needs.jobs();
        this.keys = needs.keys();
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(PATH, "bulk", ctx -> members.pro(ctx, PATH, who -> empty(ctx, who)));
        routes.get(PATH + "/options", "bulk-options", ctx -> {
            ModuleDescription chosen = chosen(ctx.queryParams().get(TOOL));
            BulkForm form = BulkForm.empty(modules.descriptions(), chosen, "");
            pages.show(ctx, PageInfo.unlisted("Options", "", "bulk"), "bulkoptions", form);
        });
        routes.post(PATH, "create", ctx -> members.pro(ctx, PATH, who -> sent(ctx, who)));
    }

    private static String once() {
        byte[] bytes = new byte[ONCE_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private ModuleDescription chosen(@Nullable String name) {
        ModuleDefinition<?> found = name == null ? null : modules.find(name);
        return found == null ? usual() : found.description();
    }

    /**
     * What most people come with is a list of URLs, of which they want to know whether they answer.
     */
    private ModuleDescription usual() {
        List<ModuleDescription> all = modules.descriptions();
        return all.stream()
                .filter(module -> module.input() == InputType.URL && module.reachability())
                .findFirst()
                .orElse(all.get(0));
    }

    private void empty(RoutingContext ctx, AuthenticatedUser who) {
        ModuleDescription chosen = chosen(ctx.queryParams().get("tool"));
        show(ctx, 200, who, BulkForm.empty(modules.descriptions(), chosen, once()));
    }

    private void show(RoutingContext ctx, int status, AuthenticatedUser who, BulkForm form) {
        PageInfo page = PageInfo.unlisted("Bulk checks", "Check up to 500 lines at once, in the background.", "bulk")
                .with("bulk.js")
                .of(who.account().email());
        pages.show(ctx, status, page, "bulk", form);
    }

    private void sent(RoutingContext ctx, AuthenticatedUser who) {
        bodies.readUpload(
                ctx, PageJobService.MAX_BYTES, patience, body -> read(ctx, body).onComplete((sent, failure) -> {
                    try {
                        if (failure != null) {
                            failed(ctx, failure);
                        } else {
                            members.still(ctx, who, still -> evaluate(ctx, still, sent));
                        }
                    } catch (RuntimeException fault) {
                        ctx.fail(fault);
                    }
                }));
    }

    /**
     * What was sent.
     *
     * @param form as it is shown again
     * @param given its options, without what need not be said
     * @param choosing whether only another tool was chosen
     */
    private record Sent(BulkForm form, JobInputLines lines, Map<String, String> given, boolean choosing) {}

    private Future<Sent> read(RoutingContext ctx, Buffer body) {
        String type = ctx.request().getHeader("Content-Type");
        return body.length() <= SMALL_BYTES
                ? Future.succeededFuture(body).map(all -> read(type, all))
                : jobs.executeBlocking(() -> read(type, body));
    }

    private Sent read(String type, Buffer body) {
        UploadForm form = UploadForm.read(type, body);
        ModuleDescription chosen = chosen(form.value(TOOL));
        Map<String, String> given = OptionField.asked(chosen, form.values());
        boolean heading = form.value(HEADING).equals("true");
        String column = NUMBER.matcher(form.value(COLUMN)).matches() ? form.value(COLUMN) : "1";
        String once = ONCE_FORM.matcher(form.value(ONCE)).matches() ? form.value(ONCE) : once();
        JobInputLines lines = JobInputLines.of(form.value(LINES));
        UploadForm.File file = form.files().get(FILE);
        BulkForm.Refusal refusal = unfit(form, file != null);
        if (file != null && refusal == null) {
            try {
                lines = JobInputLines.of(file, Integer.parseInt(column), heading);
            } catch (IllegalArgumentException unreadable) {
                refusal = BulkForm.because(unreadable.getMessage() + " Nothing was created.");
            }
        }
        BulkForm again = new BulkForm(
                modules.descriptions(),
                chosen,
                OptionField.of(chosen, given),
                lines.shown(),
                form.value(FRESH).equals("true"),
                column,
                heading,
                once,
                refusal);
        return new Sent(again, lines, given, form.value(STEP).equals("choose"));
    }

    /**
     * What no form of ours sends, and what can be meant in two ways: another tool, column or choice
     * of lines in its place would check what nobody meant.
     */
    private BulkForm.@Nullable Refusal unfit(UploadForm form, boolean withFile) {
        if (!form.value(TOOL).isEmpty() && modules.find(form.value(TOOL)) == null) {
            return BulkForm.because("There is no such tool; choose one of these. Nothing was created.");
        }
        String column = form.value(COLUMN);
        if (withFile && !column.isEmpty() && !NUMBER.matcher(column).matches()) {
            return BulkForm.because("The column must be a number from 1 to 9999. Nothing was created.");
        }
        return withFile && !form.value(LINES).isBlank()
                ? BulkForm.because(
                        "There are lines in the box, and a file was chosen too. Start the lines that are in the"
                                + " box, or empty it and choose the file again. Nothing was created.")
                : null;
    }

    private void evaluate(RoutingContext ctx, AuthenticatedUser who, Sent sent) {
        BulkForm form = sent.form;
        if (sent.choosing) {
            show(ctx, 200, who, form);
            return;
        }
        if (form.refusal() != null) {
            show(ctx, 422, who, form);
            return;
        }
        int count = sent.lines.lines().size();
        if (count == 0) {
            show(
                    ctx,
                    422,
                    who,
                    form.refused(
                            BulkForm.because("There is nothing to check: paste at least one line, or choose a file.")));
            return;
        }
        if (count > PageJobService.MAX_LINES) {
            show(
                    ctx,
                    422,
                    who,
                    form.refused(BulkForm.because(String.format(
                            java.util.Locale.ROOT,
                            "These are %,d lines, and a job takes %d. Leave out %,d; they can be another"
                                    + " job. Nothing was created.",
                            count,
                            PageJobService.MAX_LINES,
                            count - PageJobService.MAX_LINES))));
            return;
        }
        Options options = Options.parse(form.chosen(), sent.given).options();
        if (options == null) {
            show(ctx, 422, who, form.refused(BulkForm.because("An option is wrong; see below. Nothing was created.")));
            return;
        }
        Map<String, Object> wanted = new HashMap<>(options.given());
        if (form.fresh()) {
            wanted.put(ModuleDescription.FRESH.name(), true);
        }
        create(ctx, who, new PageJobService.JobParameters(form.chosen().module(), sent.lines.texts(), wanted), sent);
    }

    private void create(RoutingContext ctx, AuthenticatedUser who, PageJobService.JobParameters wish, Sent sent) {
        long account = who.account().id();
        keys.of(account)
                .compose(key -> jobs.create(new PageJobService.Owner(account, key), wish, sent.form.once()))
                .onComplete((job, failure) -> {
                    try {
                        Problem problem = failure == null ? null : PageJobService.problem(failure);
                        if (failure == null) {
                            pages.redirect(ctx, JobPage.path(job.token()));
                        } else if (problem == null) {
                            ctx.fail(failure);
                        } else {
                            problem.headers().forEach(ctx.response()::putHeader);
                            show(ctx, problem.status(), who, sent.form.refused(BulkForm.because(problem, sent.lines)));
                        }
                    } catch (RuntimeException fault) {
                        ctx.fail(fault);
                    }
                });
    }

    private void failed(RoutingContext ctx, Throwable failure) {
        Problem problem = PageJobService.problem(failure);
        if (problem != null) {
            problem.headers().forEach(ctx.response()::putHeader);
            pages.show(ctx, problem);
        } else if (failure instanceof IllegalArgumentException unreadable) {
            pages.show(ctx, Problem.badRequest(String.valueOf(unreadable.getMessage())));
        } else {
            ctx.fail(failure);
        }
    }
}
