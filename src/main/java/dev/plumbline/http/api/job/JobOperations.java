package dev.plumbline.http.api.job;

import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.Vertx;
import java.util.List;

/** The job operations and their shared state. One instance per node. */
public final class JobOperations {
    private static final int MAX_WAIT_SECONDS = 30;

    private final List<ApiOperation> operations;
    private final JobLongPolls waits;
    private final PageJobService forPages;

    public JobOperations(
            Vertx vertx,
            MessageBus bus,
            ModuleCatalogue modules,
            ApiKeyHandler authentication,
            RequestBodyReader bodies,
            ProblemResponder problems,
            Config.HttpSettings http) {
        JobJson json = new JobJson(http.publicUrl());
        JobClient calls = new JobClient(bus);
        JobResponses answers =
                new JobResponses(modules, json, problems, http.idleTimeout().toMillis());
        // a held request must not run into the idle timeout of its connection
        int wait = (int) Math.min(MAX_WAIT_SECONDS, http.idleTimeout().toSeconds() / 2);
        waits = new JobLongPolls(calls, wait);
        JobRequestReader reader = new JobRequestReader(modules);
        forPages = new PageJobService(vertx, calls, reader, answers);
        operations = List.of(
                new CreateJobOperation(vertx, authentication, bodies, reader, calls, answers, http.bodyTimeout()),
                new ListJobsOperation(authentication, calls, json, answers),
                new ReadJobOperation("readJob", null, authentication, calls, waits, answers),
                new ReadJobOperation("readJobCsv", ResultFormat.CSV, authentication, calls, waits, answers),
                new ReadJobOperation("readJobNdjson", ResultFormat.NDJSON, authentication, calls, waits, answers),
                new CancelJobOperation(authentication, calls, answers));
    }

    public List<ApiOperation> all() {
        return operations;
    }

    /** The job functions used by the pages. */
    public PageJobService forPages() {
        return forPages;
    }

    /** Ends held requests within seconds. For shutdown. */
    public void drain() {
        waits.drain();
    }
}
