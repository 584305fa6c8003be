package dev.plumbline.http.api.job;

import java.util.List;
import java.util.Map;

/**
 * What somebody wants done as a job, found valid.
 *
 * @param items the lines as they came, 1 to 500
 * @param options what differs from the module's defaults
 * @param fresh whether results that are known are not good enough
 */
record JobRequest(String module, List<String> items, Map<String, Object> options, boolean fresh) {}
