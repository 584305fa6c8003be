package dev.plumbline.http.api.job;

import com.google.common.collect.Iterators;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobMessage.JobSnapshot;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.input.JobName;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates the jobs of a list with more lines than a job can have, one after another, so that only the lines of one job
 * are in memory besides the list. The first job is charged for all of them: within the quotas, all jobs are created,
 * otherwise none. The idempotency key of each job is derived from the list, so an interrupted creation can be repeated.
 * Confined to the context of the caller.
 */
final class JobListCreation {
    private final JobClient jobs;
    private final long account;
    private final long key;
    private final PageJobService.JobList list;
    private final String onceKey;
    private final Function<PageJobService.JobParameters, Future<JobRequestReader.Parsed>> parser;
    private final Iterator<List<String>> parts;
    private final int count;
    private final List<JobSnapshot> created = new ArrayList<>();
    private final Promise<PageJobService.CreatedJobs> completed = Promise.promise();

    /**
     * @param key the API key that is charged
     * @param onceKey an idempotency key for the list
     * @param parser parses the lines of one job
     */
    JobListCreation(
            JobClient jobs,
            long account,
            long key,
            PageJobService.JobList list,
            Validated validated,
            String onceKey,
            Function<PageJobService.JobParameters, Future<JobRequestReader.Parsed>> parser) {
        this.jobs = jobs;
        this.account = account;
        this.key = key;
        this.list = list;
        this.onceKey = onceKey + ' ' + validated.hash;
        this.parser = parser;
        this.parts = parts(list, validated.linesOfJob);
        this.count = validated.jobs;
    }

    /** @param hash identifies the list */
    record Validated(String hash, int jobs, int linesOfJob) {}

    private static Iterator<List<String>> parts(PageJobService.JobList list, int linesOfJob) {
        return Iterators.partition(list.lines().lines().iterator(), linesOfJob);
    }

    /**
     * Validates all lines. CPU-bound.
     *
     * @throws ProblemException 422 with the errors of the first invalid job; the index of a line is that in the list
     */
    static Validated validate(PageJobService.JobList list, JobRequestReader reader) {
        Hasher hasher = Hashing.sha256().newHasher();
        int linesOfJob = reader.schema().maxItems();
        int jobs = 0;
        for (Iterator<List<String>> parts = parts(list, linesOfJob); parts.hasNext(); jobs++) {
            try {
                hasher.putString(
                        reader.validate(list.name(), list.module(), parts.next(), list.options(), null)
                                .hash(),
                        StandardCharsets.UTF_8);
            } catch (ProblemException invalid) {
                throw shifted(invalid.problem(), jobs * linesOfJob);
            }
        }
        return new Validated(hasher.hash().toString(), jobs, linesOfJob);
    }

    private static ProblemException shifted(Problem problem, int first) {
        return new ProblemException(problem.withFaults(problem.faults().stream()
                .map(fault -> fault.where().matches("/items/[0-9]{1,6}")
                        ? Problem.Fault.pointer(
                                "/items/"
                                        + (first
                                                + Integer.parseInt(fault.where().substring("/items/".length()))),
                                fault.detail())
                        : fault)
                .toList()));
    }

    Future<PageJobService.CreatedJobs> run() {
        next();
        return completed.future();
    }

    private void next() {
        if (!parts.hasNext()) {
            completed.complete(new PageJobService.CreatedJobs(created, null));
            return;
        }
        int number = created.size() + 1;
        PageJobService.JobParameters parameters = new PageJobService.JobParameters(
                JobName.ofPart(list.name(), number, count), list.module(), parts.next(), list.options(), null);
        parser.apply(parameters)
                .compose(parsed -> jobs.create(
                        account,
                        key,
                        parsed.job(),
                        new JobMessage.Idempotency(onceKey + ' ' + number, parsed.hash()),
                        number == 1 ? count : 0))
                .onComplete((reply, failure) -> {
                    if (reply instanceof JobMessage.JobCreated job) {
                        created.add(job.job());
                        next();
                    } else if (reply != null) {
                        end(rejection(reply));
                    } else if (failure instanceof ProblemException rejected) {
                        end(rejected.problem());
                    } else {
                        completed.fail(failure);
                    }
                });
    }

    private void end(@Nullable Problem problem) {
        completed.complete(new PageJobService.CreatedJobs(created, problem));
    }

    private Problem rejection(JobMessage.CreateReply reply) {
        return reply instanceof JobMessage.JobQuotaExceeded over
                ? PageJobService.rateLimitExceeded(over, count)
                : CreateJobOperation.rejection(reply);
    }
}
