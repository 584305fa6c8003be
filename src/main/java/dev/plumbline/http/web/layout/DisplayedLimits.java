package dev.plumbline.http.web.layout;

import java.time.Duration;

/**
 * The limits that pages display. Quotas are per 60 minutes; 0 for no limit.
 *
 * @param fresh fresh instant checks per client address
 * @param freshOfKey fresh instant checks per API key; 0 if API keys do not have this quota
 * @param jobsOfKey created jobs per API key
 * @param jobsOfAccount created jobs per account
 * @param probes fresh checks of probes in 60 seconds, per API key or client address
 * @param linesOfJob the maximum number of lines of a job
 * @param cacheTtl the time for which results are cached
 */
public record DisplayedLimits(
        int fresh, int freshOfKey, int jobsOfKey, int jobsOfAccount, int probes, int linesOfJob, Duration cacheTtl) {}
