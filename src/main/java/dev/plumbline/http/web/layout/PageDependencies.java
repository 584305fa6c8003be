package dev.plumbline.http.web.layout;

import dev.plumbline.account.PageKeyStore;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import java.time.Clock;
import java.time.Duration;

/**
 * The dependencies of the pages.
 *
 * @param uploadTimeout for receiving a bulk form
 * @param keys the hidden API keys under which the pages create jobs
 */
public record PageDependencies(
        PageRenderer pages,
        ProblemResponder problems,
        ModuleCatalogue modules,
        InstantCheckService checks,
        AccountService accounts,
        ApiContract contract,
        RequestBodyReader bodies,
        MessageBus bus,
        DisplayedLimits limits,
        Clock clock,
        Duration uploadTimeout,
        PageJobService jobs,
        PageKeyStore keys) {

    /** The reader of the JSON body of an operation. */
    public JsonBody body(String operationId) {
        return new JsonBody(bodies, contract, operationId);
    }

    /**
     * The limits that pages display. Quotas are per 60 minutes; 0 for no limit.
     *
     * @param fresh fresh instant checks per client address
     * @param freshOfKey fresh instant checks per API key; 0 if API keys do not have this quota
     * @param jobsOfKey created jobs per API key
     * @param jobsOfAccount created jobs per account
     * @param cacheTtl the time for which results are cached
     */
    public record DisplayedLimits(int fresh, int freshOfKey, int jobsOfKey, int jobsOfAccount, Duration cacheTtl) {}
}
