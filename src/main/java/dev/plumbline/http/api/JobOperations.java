package dev.plumbline.http.api;

import dev.plumbline.bus.Bus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.http.Authentication;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import dev.plumbline.http.RequestBodies;
import java.util.List;

/** The operations on jobs, and what they share. One for each node. */
public final class JobOperations {
  private static final int LONGEST_WAIT_SECONDS = 30;

  private final List<Operation> operations;
  private final JobWaits waits;
  private final WebJobs forPages;

  public JobOperations(
      Bus bus,
      ModuleCatalogue modules,
      Authentication authentication,
      RequestBodies bodies,
      Problems problems,
      Config.Http http) {
    JobJson json = new JobJson(http.publicUrl());
    JobCalls calls = new JobCalls(bus);
    JobAnswers answers = new JobAnswers(modules, json, problems, http.idleTimeout().toMillis());
    // a connection that is held is silent, and must not be taken for one that is idle
    int wait = (int) Math.min(LONGEST_WAIT_SECONDS, http.idleTimeout().toSeconds() / 2);
    waits = new JobWaits(calls, wait);
    JobRequestReader reader = new JobRequestReader(modules);
    forPages = new WebJobs(calls, reader, answers);
    operations =
        List.of(
            new CreateJobOperation(
                authentication, bodies, reader, calls, answers, http.bodyTimeout()),
            new ListJobsOperation(authentication, calls, json, answers),
            new ReadJobOperation("readJob", null, authentication, calls, waits, answers),
            new ReadJobOperation(
                "readJobCsv", JobFormat.CSV, authentication, calls, waits, answers),
            new ReadJobOperation(
                "readJobNdjson", JobFormat.NDJSON, authentication, calls, waits, answers),
            new CancelJobOperation(authentication, calls, answers));
  }

  public List<Operation> all() {
    return operations;
  }

  /** Jobs as pages ask for them. */
  public WebJobs forPages() {
    return forPages;
  }

  /** Lets go of the requests that are held, within seconds; for the end of the service. */
  public void drain() {
    waits.drain();
  }
}
