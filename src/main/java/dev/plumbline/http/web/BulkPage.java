package dev.plumbline.http.web;

import dev.plumbline.account.SignedIn;
import dev.plumbline.account.WebKeyStore;
import dev.plumbline.check.Description;
import dev.plumbline.check.InputType;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.Options;
import dev.plumbline.http.PageRoutes;
import dev.plumbline.http.Problem;
import dev.plumbline.http.RequestBodies;
import dev.plumbline.http.UploadForm;
import dev.plumbline.http.api.WebJobs;
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
  static final String PATH = "/bulk";

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

  private final Pages pages;
  private final ModuleCatalogue modules;
  private final Members members;
  private final RequestBodies bodies;
  private final Duration patience;
  private final WebJobs jobs;
  private final WebKeyStore keys;

  BulkPage(Website.Needs needs) {
    this.pages = needs.pages();
    this.modules = needs.modules();
    this.members = new Members(needs);
    this.bodies = needs.bodies();
    this.patience = needs.patience();
    this.jobs = needs.jobs();
    this.keys = needs.keys();
  }

  @Override
  public void mount(PageRoutes routes) {
    routes.get(PATH, "bulk", ctx -> members.pro(ctx, PATH, who -> empty(ctx, who)));
    routes.get(
        PATH + "/options",
        "bulk-options",
        ctx -> {
          Description chosen = chosen(ctx.queryParams().get(TOOL));
          BulkForm form = BulkForm.empty(modules.descriptions(), chosen, "");
          pages.show(ctx, Page.unlisted("Options", "", "bulk"), "bulkoptions", form);
        });
    routes.post(PATH, "create", ctx -> members.pro(ctx, PATH, who -> sent(ctx, who)));
  }

  private static String once() {
    byte[] bytes = new byte[ONCE_BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private Description chosen(@Nullable String name) {
    ModuleDefinition<?> found = name == null ? null : modules.find(name);
    return found == null ? usual() : found.description();
  }

  /**
   * What most people come with is a list of URLs, of which they want to know whether they answer.
   */
  private Description usual() {
    List<Description> all = modules.descriptions();
    return all.stream()
        .filter(module -> module.input() == InputType.URL && module.reachability())
        .findFirst()
        .orElse(all.get(0));
  }

  private void empty(RoutingContext ctx, SignedIn who) {
    Description chosen = chosen(ctx.queryParams().get("tool"));
    show(ctx, 200, who, BulkForm.empty(modules.descriptions(), chosen, once()));
  }

  private void show(RoutingContext ctx, int status, SignedIn who, BulkForm form) {
    Page page =
        Page.unlisted("Bulk checks", "Check up to 500 lines at once, in the background.", "bulk")
            .with("bulk.js")
            .of(who.account().email());
    pages.show(ctx, status, page, "bulk", form);
  }

  private void sent(RoutingContext ctx, SignedIn who) {
    bodies.readUpload(
        ctx,
        WebJobs.MOST_BYTES,
        patience,
        body ->
            read(ctx, body)
                .onComplete(
                    (sent, failure) -> {
                      try {
                        if (failure != null) {
                          failed(ctx, failure);
                        } else {
                          members.still(ctx, who, still -> judge(ctx, still, sent));
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
  private record Sent(
      BulkForm form, InputLines lines, Map<String, String> given, boolean choosing) {}

  private Future<Sent> read(RoutingContext ctx, Buffer body) {
    String type = ctx.request().getHeader("Content-Type");
    return body.length() <= SMALL_BYTES
        ? Future.succeededFuture(body).map(all -> read(type, all))
        : jobs.beside(ctx.vertx(), () -> read(type, body));
  }

  private Sent read(String type, Buffer body) {
    UploadForm form = UploadForm.read(type, body);
    Description chosen = chosen(form.value(TOOL));
    Map<String, String> given = OptionField.asked(chosen, form.values());
    boolean heading = form.value(HEADING).equals("true");
    String column = NUMBER.matcher(form.value(COLUMN)).matches() ? form.value(COLUMN) : "1";
    String once = ONCE_FORM.matcher(form.value(ONCE)).matches() ? form.value(ONCE) : once();
    InputLines lines = InputLines.of(form.value(LINES));
    UploadForm.File file = form.files().get(FILE);
    BulkForm.Refusal refusal = unfit(form, file != null);
    if (file != null && refusal == null) {
      try {
        lines = InputLines.of(file, Integer.parseInt(column), heading);
      } catch (IllegalArgumentException unreadable) {
        refusal = BulkForm.because(unreadable.getMessage() + " Nothing was created.");
      }
    }
    BulkForm again =
        new BulkForm(
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

  private void judge(RoutingContext ctx, SignedIn who, Sent sent) {
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
              BulkForm.because(
                  "There is nothing to check: paste at least one line, or choose a file.")));
      return;
    }
    if (count > WebJobs.MOST_LINES) {
      show(
          ctx,
          422,
          who,
          form.refused(
              BulkForm.because(
                  String.format(
                      java.util.Locale.ROOT,
                      "These are %,d lines, and a job takes %d. Leave out %,d; they can be another"
                          + " job. Nothing was created.",
                      count,
                      WebJobs.MOST_LINES,
                      count - WebJobs.MOST_LINES))));
      return;
    }
    Options options = Options.parse(form.chosen(), sent.given).options();
    if (options == null) {
      show(
          ctx,
          422,
          who,
          form.refused(BulkForm.because("An option is wrong; see below. Nothing was created.")));
      return;
    }
    Map<String, Object> wanted = new HashMap<>(options.given());
    if (form.fresh()) {
      wanted.put(Description.FRESH.name(), true);
    }
    create(ctx, who, new WebJobs.Wish(form.chosen().module(), sent.lines.texts(), wanted), sent);
  }

  private void create(RoutingContext ctx, SignedIn who, WebJobs.Wish wish, Sent sent) {
    long account = who.account().id();
    keys.of(account)
        .compose(
            key ->
                jobs.create(ctx.vertx(), new WebJobs.Owner(account, key), wish, sent.form.once()))
        .onComplete(
            (job, failure) -> {
              try {
                Problem problem = failure == null ? null : WebJobs.problem(failure);
                if (failure == null) {
                  pages.redirect(ctx, JobPage.path(job.token()));
                } else if (problem == null) {
                  ctx.fail(failure);
                } else {
                  problem.headers().forEach(ctx.response()::putHeader);
                  show(
                      ctx,
                      problem.status(),
                      who,
                      sent.form.refused(BulkForm.because(problem, sent.lines)));
                }
              } catch (RuntimeException fault) {
                ctx.fail(fault);
              }
            });
  }

  private void failed(RoutingContext ctx, Throwable failure) {
    Problem problem = WebJobs.problem(failure);
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
