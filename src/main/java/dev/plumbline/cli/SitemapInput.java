package dev.plumbline.cli;

import dev.plumbline.app.Version;
import dev.plumbline.budget.CpuAllowance;
import dev.plumbline.budget.CpuPool;
import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.budget.NodeBudget;
import dev.plumbline.check.BudgetFailures;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.module.web.sitemap.SitemapUrls;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * The URLs of {@code --sitemap}: those of the sitemap and of all sitemaps that it lists, read one after another. Each
 * is requested as a check would request it, through the egress guard and with the limits of one check. A sitemap that
 * cannot be read completely is an error, because a part of the URLs would be missing.
 */
final class SitemapInput {
    /** Describes the option. */
    static final String DESCRIPTION = "Sitemap with targets, or sitemap index. At most 50,000 URLs.";

    private static final int MAX_URLS = 50_000;
    private static final int MAX_SITEMAPS = 1_000;
    private static final long TIMEOUT_MS = 30_000;
    private static final String USE_INPUT = " Check the sitemap, or use --input with a list of its URLs.";

    private final Vertx vertx;
    private final NodeBudget node;
    private final CheckEnvironment environment;

    private SitemapInput(Vertx vertx, NodeBudget node, CheckEnvironment environment) {
        this.vertx = vertx;
        this.node = node;
        this.environment = environment;
    }

    /**
     * Reads the URLs, and prints their number on stderr.
     *
     * @return in the order of the sitemaps, at least one
     * @throws CommandException if a sitemap cannot be read completely or there are too many URLs
     */
    static List<String> read(Config settings, String url) throws CommandException {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        try (NodeBudget node = NodeBudget.ofProcess(vertx, 1)) {
            CheckEnvironment environment = CheckEnvironment.ofProcess(vertx, settings, Version.text());
            Target.Url first = TargetParser.url(url, "https", "http");
            String refusal = environment.policy().refusal(first);
            if (refusal != null) {
                throw new CommandException(invalid(url, refusal));
            }
            return new SitemapInput(vertx, node, environment).readAll(first);
        } catch (InvalidTargetException invalid) {
            throw new CommandException(invalid(url, ExceptionMessage.of(invalid)));
        } catch (ConfigException invalid) {
            throw new CommandException("Invalid configuration: " + invalid.getMessage());
        } finally {
            vertx.close().await();
        }
    }

    private static String invalid(String url, String reason) {
        return "Invalid --sitemap '" + url + "': " + reason;
    }

    private List<String> readAll(Target.Url first) throws CommandException {
        Deque<Target.Url> queue = new ArrayDeque<>(List.of(first));
        Set<String> known = new HashSet<>(Set.of(first.text()));
        List<String> urls = new ArrayList<>();
        int read = 0;
        for (Target.Url next = queue.poll(); next != null; next = queue.poll()) {
            SitemapUrls.Content content = read(next);
            if (content.fault() != null) {
                throw new CommandException(
                        "The sitemap " + next.text() + " was not read completely. " + content.fault() + USE_INPUT);
            }
            read++;
            urls.addAll(content.urls());
            for (Target.Url sitemap : content.sitemaps()) {
                // sitemaps can list each other
                if (known.add(sitemap.text())) {
                    queue.add(sitemap);
                }
            }
            if (known.size() > MAX_SITEMAPS) {
                throw new CommandException(format(
                        "The sitemap %s and those that it lists are more than %,d. Set --sitemap to one of them, such as %s.",
                        first.text(), MAX_SITEMAPS, queue.element().text()));
            }
            if (urls.size() > MAX_URLS) {
                throw new CommandException(format(
                        "%,d of %,d sitemaps contain %,d URLs. The maximum is %,d. Set --sitemap to one of the"
                                + " sitemaps, such as %s.",
                        read, known.size(), urls.size(), MAX_URLS, next.text()));
            }
        }
        if (urls.isEmpty()) {
            throw new CommandException("The sitemap " + first.text() + " contains no URLs. Check --sitemap.");
        }
        StandardError.println(format(
                "Sitemap: %,d %s in %,d %s",
                urls.size(), urls.size() == 1 ? "URL" : "URLs", read, read == 1 ? "sitemap" : "sitemaps"));
        return urls;
    }

    private SitemapUrls.Content read(Target.Url url) {
        Request request = new Request(
                environment,
                Deadline.in(TIMEOUT_MS),
                node.memory().open("", MemoryBudget.CHECK_BYTES),
                new CpuAllowance(node.cpu(), "", CpuAllowance.CHECK_MS),
                new RequestBudget(RequestBudget.MAX, url.host()));
        return Future.<SitemapUrls.Content>future(content -> vertx.runOnContext(
                        start -> SitemapUrls.read(request, url).onComplete(content)))
                .recover(cause -> cause instanceof OverloadFailure overload
                        ? Future.succeededFuture(
                                new SitemapUrls.Content(List.of(), List.of(), ExceptionMessage.of(overload)))
                        : Future.failedFuture(cause))
                .onComplete(read -> request.close())
                .await();
    }

    /** A request with the limits of a check. */
    private record Request(
            CheckEnvironment environment,
            Deadline deadline,
            MemoryHolder memory,
            CpuAllowance cpu,
            RequestBudget budget)
            implements CheckContext, AutoCloseable {
        @Override
        public Options options() {
            return Options.NONE;
        }

        @Override
        public Clock clock() {
            return Clock.systemUTC();
        }

        @Override
        public <T> Future<T> executeBlocking(CpuPool.Purpose purpose, Callable<T> work) {
            return cpu.execute(purpose, work).recover(cause -> Future.failedFuture(BudgetFailures.of(cause)));
        }

        @Override
        public <P> P probe(Class<P> type) {
            P probe = environment.probes().getInstance(type);
            if (probe == null) {
                throw new IllegalArgumentException("unknown probe: " + type.getSimpleName());
            }
            return probe;
        }

        @Override
        public void close() {
            cpu.close();
            memory.close();
        }
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
