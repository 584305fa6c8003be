package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.DisplayedLimits;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.tool.OptionField;
import dev.plumbline.input.TargetLines;
import dev.plumbline.input.TargetTable;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.InputType;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** {@code /bulk}: the form that creates a job, or several jobs from a long list. */
public final class BulkPage implements PageRoutes.Pages {
    static final String PATH = "/bulk";

    // Names of form fields. Options have no hyphen in their names.
    private static final String TOOL = "bulk-tool";
    private static final String NAME = "bulk-name";
    private static final String LINES = "bulk-lines";
    private static final String FILE = "bulk-file";
    private static final String CSV_FILE = "bulk-csv-file";
    private static final String COLUMN = "bulk-column";
    private static final String HEADER_ROW = "bulk-header-row";
    private static final String PREVIEWED = "bulk-previewed";
    private static final String FRESH = "bulk-fresh";
    private static final String ACTION = "bulk-action";

    /** Larger forms are parsed on a worker thread. */
    private static final int MAX_EVENT_LOOP_BYTES = 8 << 10;

    /** Larger forms are processed one at a time. */
    private static final int MAX_CONCURRENT_BYTES = 1 << 20;

    /** The size of the other fields of a form. */
    private static final int OTHER_FIELDS_BYTES = 64 << 10;

    /** Of a longer file, the text area contains only the selected targets. */
    private static final int MAX_SHOWN_CHARACTERS = 1 << 20;

    private static final Pattern COLUMN_NUMBER = Pattern.compile("[0-9]{1,3}");
    private static final Pattern CSV_NAME = Pattern.compile("(?i).*\\.(csv|tsv)");

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final AccountAccess access;
    private final RequestBodyReader bodies;
    private final Duration uploadTimeout;
    private final PageJobService jobs;
    private final LargePages largePages;
    private final JobListPage lists;
    private final int maxJobs;

    public BulkPage(
            PageRenderer pages,
            ModuleCatalogue modules,
            RequestBodyReader bodies,
            Duration uploadTimeout,
            PageJobService jobs,
            AccountAccess access,
            DisplayedLimits limits) {
        this.pages = pages;
        this.largePages = new LargePages(pages, jobs);
        this.lists = new JobListPage(largePages, jobs);
        this.maxJobs = IntStream.of(limits.jobsOfKey(), limits.jobsOfAccount())
                .filter(limit -> limit > 0)
                .min()
                .orElse(0);
        this.modules = modules;
        this.access = access;
        this.bodies = bodies;
        this.uploadTimeout = uploadTimeout;
        this.jobs = jobs;
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(
                PATH,
                "bulk",
                ctx -> access.proOrIntroduction(
                        ctx, PATH, user -> show(ctx, 200, user, form(ctx, "tool", SubmissionKey.generate()))));
        routes.get(
                PATH + "/options",
                "bulk-options",
                ctx -> pages.show(ctx, PageInfo.unlisted("Options", "", "bulk"), "bulkoptions", form(ctx, TOOL, "")));
        routes.post(PATH, "create", ctx -> access.pro(ctx, PATH, user -> submit(ctx, user, this::process)));
        routes.post(
                PATH + "/preview",
                "bulk-preview",
                ctx -> access.pro(ctx, PATH, user -> submit(ctx, user, this::preview)));
    }

    private BulkForm form(RoutingContext ctx, String parameter, String idempotencyKey) {
        return BulkForm.empty(
                modules.descriptions(), tool(ctx.queryParams().get(parameter)), idempotencyKey, jobs.schema());
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
        PageInfo page = PageInfo.unlisted(
                        "Bulk checks", "Check up to " + form.schema().maxItems() + " targets in one job.", "bulk")
                .withScripts("bulk.js")
                .withUser(user.account().email());
        largePages.show(ctx, status, page, "bulk", form, form.lines());
    }

    private interface Next {
        void accept(RoutingContext ctx, AuthenticatedUser user, Upload upload);
    }

    private void submit(RoutingContext ctx, AuthenticatedUser user, Next next) {
        bodies.readUpload(ctx, PageJobService.MAX_BYTES, uploadTimeout, body -> {
            if (body.length() <= MAX_CONCURRENT_BYTES) {
                process(ctx, user, body, next);
            } else {
                RequestFutures.handle(
                        ctx,
                        jobs.processLarge(() -> {
                            Future<Void> responded = responded(ctx);
                            process(ctx, user, body, next);
                            return responded;
                        }),
                        done -> {});
            }
        });
    }

    private void process(RoutingContext ctx, AuthenticatedUser user, Buffer body, Next next) {
        RequestFutures.handle(
                ctx,
                read(ctx, body),
                upload -> access.stillSignedIn(ctx, user, current -> next.accept(ctx, current, upload)));
    }

    /** Completes when the response is rendered, or when the client has closed the connection. */
    private static Future<Void> responded(RoutingContext ctx) {
        Promise<Void> responded = Promise.promise();
        ctx.addHeadersEndHandler(head -> responded.tryComplete());
        ctx.addEndHandler(end -> responded.tryComplete());
        if (RequestBodyReader.hasEnded(ctx)) {
            responded.tryComplete();
        }
        return responded.future();
    }

    /**
     * A submitted form.
     *
     * @param form the form as it is displayed again
     * @param options those that differ from their defaults
     * @param action the button: empty to run the checks
     * @param previewed the digest of the targets that the user has seen; empty if there is none
     */
    private record Upload(BulkForm form, Map<String, String> options, String action, String previewed) {}

    private Future<Upload> read(RoutingContext ctx, Buffer body) {
        String type = ctx.request().getHeader("Content-Type");
        return body.length() <= MAX_EVENT_LOOP_BYTES
                ? Future.succeededFuture(body).map(all -> parse(type, all))
                : jobs.executeBlocking(() -> parse(type, body));
    }

    private Upload parse(String type, Buffer body) {
        FormBody form = FormBody.parse(type, body);
        ModuleDescription tool = tool(form.text(TOOL));
        Map<String, String> options = OptionField.changed(tool, form::all);
        List<FormBody.File> files = form.files().get(FILE);
        FormBody.File file = files.isEmpty() ? null : files.get(0);
        String text = form.text(LINES).stripTrailing();
        boolean csvFile = form.text(CSV_FILE).equals("true");
        BulkForm.Rejection rejection = validate(form, files.size());
        TargetPreview preview = null;
        if (rejection == null) {
            try {
                if (file != null) {
                    text = text(file.content());
                    csvFile = CSV_NAME.matcher(file.name()).matches();
                }
                preview = TargetPreview.of(text, tool, options, csvFile, selection(form), jobs.schema(), maxJobs);
                if (file != null && text.length() > MAX_SHOWN_CHARACTERS) {
                    text = preview.text();
                    csvFile = false;
                    preview = preview.tooMany()
                            ? preview
                            : TargetPreview.of(
                                            text,
                                            tool,
                                            options,
                                            false,
                                            TargetPreview.WHOLE_LINES,
                                            jobs.schema(),
                                            maxJobs)
                                    .ofColumn(preview.column());
                }
            } catch (IllegalArgumentException e) {
                text = file == null ? text : "";
                rejection = BulkForm.rejection(e.getMessage() + " No job was created.");
            }
        }
        BulkForm view = new BulkForm(
                modules.descriptions(),
                tool,
                OptionField.of(tool, options),
                form.text(NAME).strip(),
                text,
                form.text(FRESH).equals("true"),
                csvFile,
                SubmissionKey.orGenerated(form.text(SubmissionKey.FIELD)),
                preview == null || preview.lines().total() == 0 ? null : preview,
                rejection,
                jobs.schema());
        return new Upload(view, options, form.text(ACTION), form.text(PREVIEWED));
    }

    /** The submitted selection; null before the first preview. */
    private static TargetTable.@Nullable Selection selection(FormBody form) {
        return COLUMN_NUMBER.matcher(form.text(COLUMN)).matches()
                ? new TargetTable.Selection(
                        Integer.parseInt(form.text(COLUMN)),
                        form.text(HEADER_ROW).equals("true"))
                : null;
    }

    /** Malformed bytes are replaced, as only the selected column must be readable. */
    private static String text(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("The file is not UTF-8 text. Save it as .txt or .csv in UTF-8.");
        }
        return text;
    }

    /** Shows what a job would check, for the script of the page. */
    private void preview(RoutingContext ctx, AuthenticatedUser user, Upload upload) {
        pages.show(ctx, PageInfo.unlisted("Preview", "", "bulk"), "bulkpreview", upload.form);
    }

    /** Rejects unknown and ambiguous values. A default in their place would check unintended targets. */
    private BulkForm.@Nullable Rejection validate(FormBody form, int files) {
        if (!form.text(TOOL).isEmpty() && modules.find(form.text(TOOL)) == null) {
            return BulkForm.rejection("The tool does not exist. Select another tool. No job was created.");
        }
        if (files > 1) {
            return BulkForm.rejection(
                    files + " files were submitted. Select one file that contains all targets. No job was created.");
        }
        return files > 0 && !form.text(LINES).isBlank()
                ? BulkForm.rejection(
                        "Both a list and a file were submitted. Submit the list in the text area, or clear it and"
                                + " select the file again. No job was created.")
                : null;
    }

    private void process(RoutingContext ctx, AuthenticatedUser user, Upload upload) {
        if (upload.action.equals("options")) {
            show(ctx, 200, user, upload.form.rejected(null));
            return;
        }
        BulkForm form = upload.form;
        TargetPreview preview = form.preview();
        Options options = Options.parse(form.selected(), upload.options).options();
        BulkForm.Rejection rejection = form.rejection() != null ? form.rejection() : validate(preview);
        if (rejection == null && options == null) {
            rejection = BulkForm.rejection("An option is invalid. Correct the highlighted option. No job was created.");
        }
        if (rejection != null || options == null || preview == null) {
            show(ctx, 422, user, form.rejected(rejection));
            return;
        }
        boolean seen = upload.previewed.equals(preview.digest());
        Map<String, Object> parameters = new HashMap<>(options.given());
        if (form.fresh()) {
            parameters.put(ModuleDescription.FRESH.name(), true);
        }
        String name = form.name().isEmpty() ? preview.defaultName() : form.name();
        String module = form.selected().module();
        if (preview.severalJobs() && !upload.action.equals("preview")) {
            processList(
                    ctx,
                    user,
                    new JobListPage.View(form, preview, List.of()),
                    new PageJobService.JobList(name, module, preview.text(), parameters),
                    seen && upload.action.equals(JobListPage.CREATE));
        } else if (upload.action.equals("preview") || preview.needsConfirmation() && !seen) {
            show(ctx, 200, user, form);
        } else {
            create(
                    ctx,
                    user,
                    form,
                    preview.lines(),
                    new PageJobService.JobParameters(
                            name, module, preview.lines().texts(), parameters, null));
        }
    }

    private void processList(
            RoutingContext ctx,
            AuthenticatedUser user,
            JobListPage.View view,
            PageJobService.JobList list,
            boolean confirmed) {
        BulkForm form = view.form();
        TargetPreview preview = view.preview();
        int maxBytes = PageJobService.MAX_BYTES - OTHER_FIELDS_BYTES;
        if (preview.formBytes() > maxBytes) {
            show(
                    ctx,
                    413,
                    user,
                    form.rejected(BulkForm.rejection(String.format(
                            Locale.ROOT,
                            "The list has %,d bytes with two bytes for each line end. The maximum is %,d. Split the"
                                    + " list. No job was created.",
                            preview.formBytes(),
                            maxBytes))));
        } else if (!preview.tooLong().isEmpty()) {
            show(ctx, 422, user, form.rejected(BulkForm.rejection(preview.tooLong())));
        } else {
            Consumer<Problem> rejected = problem -> reject(ctx, user, form, preview.lines(), problem);
            if (confirmed) {
                lists.create(ctx, user, view, list, rejected);
            } else {
                lists.confirm(ctx, user, view, list, rejected);
            }
        }
    }

    private void reject(RoutingContext ctx, AuthenticatedUser user, BulkForm form, TargetLines lines, Problem problem) {
        problem.headers().forEach(ctx.response()::putHeader);
        show(ctx, problem.status(), user, form.rejected(BulkForm.rejection(problem, lines)));
    }

    private static BulkForm.@Nullable Rejection validate(@Nullable TargetPreview preview) {
        if (preview == null) {
            return BulkForm.rejection("Enter at least one target, or select a file.");
        }
        return preview.tooMany()
                ? BulkForm.rejection(preview.summary() + ". Split the list. No job was created.")
                : null;
    }

    private void create(
            RoutingContext ctx,
            AuthenticatedUser user,
            BulkForm form,
            TargetLines lines,
            PageJobService.JobParameters parameters) {
        Future<JobMessage.JobSnapshot> created = jobs.create(user.account().id(), parameters, form.idempotencyKey());
        RequestFutures.handle(
                ctx,
                created,
                job -> pages.redirect(ctx, JobPage.path(job.token())),
                problem -> reject(ctx, user, form, lines, problem));
    }
}
