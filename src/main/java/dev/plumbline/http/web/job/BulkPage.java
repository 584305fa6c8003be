package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.PageKeyStore;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.InputType;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.PageDependencies;
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
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code /bulk}: the form that creates a job. */
public final class BulkPage implements PageRoutes.Pages {
    static final String PATH = "/bulk";

    // Names of form fields. Options have no hyphen in their names.
    private static final String TOOL = "bulk-tool";
    private static final String NAME = "bulk-name";
    private static final String LINES = "bulk-lines";
    private static final String FILE = "bulk-file";
    private static final String COLUMN = "bulk-column";
    private static final String HEADER_ROW = "bulk-header-row";
    private static final String FRESH = "bulk-fresh";
    private static final String IDEMPOTENCY_KEY = "bulk-idempotency-key";
    private static final String ACTION = "bulk-action";

    /** Larger forms are parsed on a worker thread. */
    private static final int MAX_EVENT_LOOP_BYTES = 64 << 10;

    private static final int KEY_BYTES = 12;
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_-]{16}");
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,3}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final AccountAccess access;
    private final RequestBodyReader bodies;
    private final Duration uploadTimeout;
    private final PageJobService jobs;
    private final PageKeyStore keys;

    public BulkPage(PageDependencies dependencies) {
        this.pages = dependencies.pages();
        this.modules = dependencies.modules();
        this.access = new AccountAccess(dependencies);
        this.bodies = dependencies.bodies();
        this.uploadTimeout = dependencies.uploadTimeout();
        this.jobs = dependencies.jobs();
        this.keys = dependencies.keys();
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(
                PATH,
                "bulk",
                ctx -> access.proOrIntroduction(
                        ctx, PATH, user -> show(ctx, 200, user, form(ctx, "tool", newIdempotencyKey()))));
        routes.get(
                PATH + "/options",
                "bulk-options",
                ctx -> pages.show(ctx, PageInfo.unlisted("Options", "", "bulk"), "bulkoptions", form(ctx, TOOL, "")));
        routes.post(PATH, "create", ctx -> access.pro(ctx, PATH, user -> submit(ctx, user)));
    }

    private static String newIdempotencyKey() {
        byte[] bytes = new byte[KEY_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private BulkForm form(RoutingContext ctx, String parameter, String idempotencyKey) {
        return BulkForm.empty(modules.descriptions(), tool(ctx.queryParams().get(parameter)), idempotencyKey);
    }

    /** The tool with this name. The default is the first tool that checks whether a URL is reachable. */
    private ModuleDescription tool(@Nullable String name) {
        ModuleDefinition<?> module = name == null ? null : modules.find(name);
        List<ModuleDescription> all = modules.descriptions();
        return module != null
                ? module.description()
                : all.stream()
                        .filter(tool -> tool.input() == InputType.URL && tool.reachability())
                        .findFirst()
                        .orElse(all.get(0));
    }

    private void show(RoutingContext ctx, int status, AuthenticatedUser user, BulkForm form) {
        PageInfo page = PageInfo.unlisted("Bulk checks", "Check up to 500 targets in one job.", "bulk")
                .withScripts("bulk.js")
                .withUser(user.account().email());
        pages.show(ctx, status, page, "bulk", form);
    }

    private void submit(RoutingContext ctx, AuthenticatedUser user) {
        bodies.readUpload(
                ctx,
                PageJobService.MAX_BYTES,
                uploadTimeout,
                body -> RequestFutures.handle(
                        ctx,
                        read(ctx, body),
                        upload -> access.stillSignedIn(ctx, user, current -> process(ctx, current, upload))));
    }

    /**
     * A submitted form.
     *
     * @param form the form as it is displayed again
     * @param options those that differ from their defaults
     * @param showOptions whether only the options of another tool were requested
     */
    private record Upload(BulkForm form, JobInputLines lines, Map<String, String> options, boolean showOptions) {}

    private Future<Upload> read(RoutingContext ctx, Buffer body) {
        String type = ctx.request().getHeader("Content-Type");
        return body.length() <= MAX_EVENT_LOOP_BYTES
                ? Future.succeededFuture(body).map(all -> parse(type, all))
                : jobs.executeBlocking(() -> parse(type, body));
    }

    private Upload parse(String type, Buffer body) {
        FormBody form = FormBody.parse(type, body);
        ModuleDescription tool = tool(form.text(TOOL));
        Map<String, String> options = OptionField.changed(tool, form.values());
        boolean headerRow = form.text(HEADER_ROW).equals("true");
        String column = NUMBER.matcher(form.text(COLUMN)).matches() ? form.text(COLUMN) : "1";
        String key = form.text(IDEMPOTENCY_KEY);
        JobInputLines lines = JobInputLines.of(form.text(LINES));
        FormBody.File file = form.files().get(FILE);
        BulkForm.Rejection rejection = validate(form, file != null);
        if (file != null && rejection == null) {
            try {
                lines = JobInputLines.of(file, Integer.parseInt(column), headerRow);
            } catch (IllegalArgumentException e) {
                rejection = BulkForm.rejection(e.getMessage() + " No job was created.");
            }
        }
        BulkForm view = new BulkForm(
                modules.descriptions(),
                tool,
                OptionField.of(tool, options),
                form.text(NAME).strip(),
                lines.typed().strip(),
                form.text(FRESH).equals("true"),
                column,
                headerRow,
                KEY.matcher(key).matches() ? key : newIdempotencyKey(),
                rejection);
        return new Upload(view, lines, options, form.text(ACTION).equals("options"));
    }

    /** Rejects unknown and ambiguous values. A default in their place would check unintended targets. */
    private BulkForm.@Nullable Rejection validate(FormBody form, boolean hasFile) {
        if (!form.text(TOOL).isEmpty() && modules.find(form.text(TOOL)) == null) {
            return BulkForm.rejection("The tool does not exist. Select another tool. No job was created.");
        }
        String column = form.text(COLUMN);
        if (hasFile && !column.isEmpty() && !NUMBER.matcher(column).matches()) {
            return BulkForm.rejection("The column must be a number from 1 to 9999. No job was created.");
        }
        return hasFile && !form.text(LINES).isBlank()
                ? BulkForm.rejection(
                        "Both a list and a file were submitted. Submit the list in the text area, or clear it and"
                                + " select the file again. No job was created.")
                : null;
    }

    private void process(RoutingContext ctx, AuthenticatedUser user, Upload upload) {
        if (upload.showOptions) {
            show(ctx, 200, user, upload.form);
            return;
        }
        BulkForm form = upload.form;
        Options options = Options.parse(form.selected(), upload.options).options();
        BulkForm.Rejection rejection = form.rejection() != null ? form.rejection() : validate(upload.lines);
        if (rejection == null && options == null) {
            rejection = BulkForm.rejection("An option is invalid. Correct the highlighted option. No job was created.");
        }
        if (rejection != null || options == null) {
            show(ctx, 422, user, form.rejected(rejection));
            return;
        }
        Map<String, Object> parameters = new HashMap<>(options.given());
        if (form.fresh()) {
            parameters.put(ModuleDescription.FRESH.name(), true);
        }
        create(
                ctx,
                user,
                upload,
                new PageJobService.JobParameters(
                        form.name(), form.selected().module(), upload.lines.texts(), parameters));
    }

    private static BulkForm.@Nullable Rejection validate(JobInputLines lines) {
        int count = lines.lines().size();
        int max = PageJobService.MAX_LINES;
        if (count == 0) {
            return BulkForm.rejection("Enter at least one target, or select a file.");
        }
        return count <= max
                ? null
                : BulkForm.rejection(String.format(
                        Locale.ROOT,
                        "%,d lines were submitted, %,d more than the maximum of %d per job. No job was created.",
                        count,
                        count - max,
                        max));
    }

    private void create(
            RoutingContext ctx, AuthenticatedUser user, Upload upload, PageJobService.JobParameters parameters) {
        long account = user.account().id();
        Future<JobMessage.JobSnapshot> created = keys.of(account)
                .compose(key ->
                        jobs.create(new PageJobService.Owner(account, key), parameters, upload.form.idempotencyKey()));
        RequestFutures.handle(ctx, created, job -> pages.redirect(ctx, JobPage.path(job.token())), problem -> {
            problem.headers().forEach(ctx.response()::putHeader);
            BulkForm.Rejection rejection = BulkForm.rejection(problem, upload.lines);
            show(ctx, problem.status(), user, upload.form.rejected(rejection));
        });
    }
}
