package dev.plumbline.http.api.job;

import java.util.List;
import java.util.Map;

/**
 * A valid request to create a job.
 *
 * @param items the lines as submitted, 1 to 500
 * @param options the options that differ from the defaults of the module
 * @param fresh whether cached results must not be used
 */
record JobRequest(String module, List<String> items, Map<String, Object> options, boolean fresh) {}
