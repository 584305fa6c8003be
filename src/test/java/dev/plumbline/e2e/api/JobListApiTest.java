package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.cursor;
import static dev.plumbline.support.JobsApiClient.header;
import static dev.plumbline.support.JobsApiClient.lines;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.JobsApiFixture;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Job lists, pages, formats and entity tags. */
@Tag("integration")
class JobListApiTest {
    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture();

    private static final String JOBS = JobsApiClient.PATH;
    private final ServiceUnderTest service = FIXTURE.service();
    private final TestAccounts accounts = FIXTURE.accounts();
    private final String key = FIXTURE.key();
    private final JobsApiClient jobs = FIXTURE.client();
    private final CountingTarget target = new CountingTarget(FIXTURE.database().vertx());

    @Test
    void entityTagDependsOnVersionAndView() {
        String token = token(jobs.create(List.of("not a target", "neither"), new JsonObject()));
        jobs.finished(token);
        String etag = header(jobs.get("/" + token), "ETag");

        HttpResponse<String> same = jobs.get("/" + token, "If-None-Match", "\"x\", " + etag);
        assertThat(same.statusCode()).isEqualTo(304);
        assertThat(same.body()).isEmpty();
        assertThat(header(same, "ETag")).isEqualTo(etag);
        assertThat(jobs.get("/" + token, "If-None-Match", "*").statusCode()).isEqualTo(304);
        for (String view : List.of(
                "?limit=1",
                "?limit=1&cursor=" + cursor(jobs.get("/" + token + "?limit=1")),
                "?results=false",
                "?format=csv",
                "?format=csv&raw=true",
                "?format=ndjson")) {
            HttpResponse<String> other = jobs.get("/" + token + view, "If-None-Match", etag);
            assertThat(other.statusCode()).as(view).isEqualTo(200);
            HttpResponse<String> again = jobs.get("/" + token + view, "If-None-Match", header(other, "ETag"));
            assertThat(again.statusCode()).as(view).isEqualTo(304);
        }
    }

    @Test
    void pagesAreLinkedByCursor() {
        List<String> items = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            items.add("not a target " + i);
        }
        String token = token(jobs.create(items, new JsonObject()));
        jobs.finished(token);

        List<String> seen = new ArrayList<>();
        String cursor = null;
        do {
            HttpResponse<String> page =
                    jobs.get("/" + token + "?limit=3" + (cursor == null ? "" : "&cursor=" + cursor));
            lines(new JsonObject(page.body())).forEach(line -> seen.add(line.getString("input")));
            cursor = cursor(page);
        } while (cursor != null);

        assertThat(seen).isEqualTo(items);
    }

    @Test
    void listIsNewestFirst() {
        String owner = accounts.key().secret();
        List<String> tokens = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tokens.add(0, token(jobs.create(owner, List.of("not a target"), new JsonObject())));
        }

        List<String> seen = new ArrayList<>();
        String cursor = null;
        do {
            HttpResponse<String> page =
                    jobs.get("?limit=2" + (cursor == null ? "" : "&cursor=" + cursor), "X-Api-Key", owner);
            assertThat(page.statusCode()).isEqualTo(200);
            new JsonObject(page.body())
                    .getJsonArray("jobs")
                    .forEach(job -> seen.add(((JsonObject) job).getString("token")));
            cursor = cursor(page);
        } while (cursor != null);

        assertThat(seen).isEqualTo(tokens);
        assertThat(new JsonObject(jobs.get("", "X-Api-Key", owner).body()).getString("next_cursor"))
                .isNull();
    }

    @Test
    void nextPageIsLinkedWithTheQueryOfTheRequest() {
        String owner = accounts.key().secret();
        String first = token(jobs.create(owner, List.of("not a target", "nor this", "&?=+ é"), new JsonObject()));
        jobs.finished(first, owner);
        String last = token(jobs.create(owner, List.of("not a target"), new JsonObject()));

        HttpResponse<String> list = jobs.get("?limit=1", "X-Api-Key", owner);
        HttpResponse<String> lines =
                jobs.get("/" + first + "?verdict=error,fail&limit=2&expect=status+%3D%3D+200", "X-Api-Key", owner);

        assertThat(next(list)).isEqualTo("?cursor=" + cursor(list) + "&limit=1");
        assertThat(next(jobs.get(next(list), "X-Api-Key", owner))).isNull();
        assertThat(tokens(jobs.get(next(list), "X-Api-Key", owner))).containsExactly(first);
        assertThat(tokens(list)).containsExactly(last);
        assertThat(next(lines))
                .isEqualTo("/" + first + "?cursor=" + cursor(lines)
                        + "&verdict=error%2Cfail&limit=2&expect=status+%3D%3D+200");
        HttpResponse<String> plain = jobs.get("/" + first + "?verdict=error,fail&limit=2", "X-Api-Key", owner);
        assertThat(next(plain)).isEqualTo("/" + first + "?cursor=" + cursor(plain) + "&verdict=error%2Cfail&limit=2");
        HttpResponse<String> rest = jobs.get(next(plain), "X-Api-Key", owner);
        assertThat(lines(new JsonObject(rest.body())))
                .extracting(line -> line.getString("input"))
                .containsExactly("&?=+ é");
        assertThat(next(rest)).isNull();
        assertThat(next(jobs.get("/" + first + "?limit=2&results=false", "X-Api-Key", owner)))
                .isNull();
    }

    /** The link is sent before the lines, and the text of these pages is longer than the part that is sent first. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=/ok/",
                "finding=plain_http&q=/ok/&fields=ip",
                "verdict=pass,warn&q=/ok/&expect=status+%3C+600",
                "since=&q=/ok/",
                "since=&finding=plain_http&q=/ok/"
            })
    void linksOfFilteredLinesEndAfterTheLastOne(String filter) {
        List<String> items = new ArrayList<>();
        String padding = "x".repeat(1_500);
        for (int i = 0; i < 150; i++) {
            items.add(target.url((i % 3 == 0 ? "/missing/" : "/ok/") + i + "?" + padding));
        }
        String token = token(jobs.create(items, new JsonObject()));
        jobs.finished(token);

        List<Integer> seen = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        String page = "/" + token + "?limit=40&" + filter;
        while (page != null) {
            HttpResponse<String> response = jobs.get(page);
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            JsonObject body = new JsonObject(response.body());
            lines(body).forEach(line -> seen.add(line.getInteger("index")));
            sizes.add(lines(body).size());
            String link = next(response);
            assertThat(next(service.send("HEAD", service.uri(JOBS + page), "X-Api-Key", key)))
                    .isEqualTo(link);
            if (filter.startsWith("since=")) {
                assertThat(link == null || link.contains("?since=" + body.getString("since") + "&"))
                        .isTrue();
            } else {
                assertThat(body.getInteger("matched")).isEqualTo(100);
                assertThat(link == null ? null : link.split("[=&]", -1)[1]).isEqualTo(body.getString("next_cursor"));
            }
            page = link;
        }

        assertThat(sizes).containsExactly(40, 40, 20);
        assertThat(seen).hasSize(100).doesNotHaveDuplicates().allMatch(index -> index % 3 != 0);
    }

    @Test
    void linkOfLinesInTheOrderInWhichTheyFinishedIsTheCursorOfTheBodyUntilTheJobIsFinished() {
        String token = token(jobs.create(
                List.of("not a target", "neither", "nor this", target.url("/gate/last")), new JsonObject()));
        Await.until(() -> new JsonObject(jobs.get("/" + token).body())
                        .getJsonObject("counts")
                        .getInteger("done")
                == 3);

        List<String> seen = new ArrayList<>();
        String page = "/" + token + "?since=&limit=2";
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = jobs.get(page);
            JsonObject body = new JsonObject(response.body());
            lines(body).forEach(line -> seen.add(line.getString("input")));
            page = next(response);
            assertThat(page).isEqualTo("/" + token + "?since=" + body.getString("since") + "&limit=2");
        }
        assertThat(seen).containsExactlyInAnyOrder("not a target", "neither", "nor this");
        target.openGate();
        jobs.finished(token);
        HttpResponse<String> last = jobs.get(page);

        assertThat(lines(new JsonObject(last.body()))).hasSize(1);
        assertThat(next(last)).isNull();
        assertThat(next(jobs.get("/" + token + "?since="))).isNull();
        assertThat(next(jobs.get("/" + token + "?since=&limit=3"))).isNotNull();
    }

    /** Returns the path and the query of the link to the next page below the jobs; null without a link. */
    private static String next(HttpResponse<String> response) {
        String link = response.headers().firstValue("Link").orElse(null);
        if (link == null) {
            return null;
        }
        assertThat(link).startsWith("<https://checks.example.org" + JOBS).endsWith(">; rel=\"next\"");
        return link.substring(("<https://checks.example.org" + JOBS).length(), link.lastIndexOf('>'));
    }

    private static List<String> tokens(HttpResponse<String> list) {
        return new JsonObject(list.body())
                .getJsonArray("jobs").stream()
                        .map(job -> ((JsonObject) job).getString("token"))
                        .toList();
    }

    /** A cursor must not reveal the number of jobs. */
    @Test
    void cursorRevealsNothingAboutOtherAccounts() {
        String owner = accounts.key().secret();
        jobs.create(owner, List.of("not a target"), new JsonObject());
        String second = token(jobs.create(owner, List.of("not a target"), new JsonObject()));
        String cursor = cursor(jobs.get("?limit=1", "X-Api-Key", owner));

        String plain = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.ISO_8859_1);

        assertThat(plain).isEqualTo("j" + second);
        jobs.create(List.of("not a target"), new JsonObject());
        // a cursor of another account is not valid
        assertProblem(jobs.get("?cursor=" + cursor), 400, "bad-request");
        assertThat(jobs.get("?cursor=" + cursor, "X-Api-Key", owner).statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?cursor=x",
                "?cursor=bDE",
                // a number
                "?cursor=ajE",
                // a job that does not exist
                "?cursor=am9iXzRrSjBtWjN0UWJXOXhZY1IxbkxwN3M",
                "?cursor=ampvYl80a0owbVozdFFiVzl4WWNSMW5McDdz",
                "?limit=0",
                "?limit=101",
                "?limit=ten",
                "?limit=1.5",
                "?limit=",
                "?limit=-1",
                "?cursor="
            })
    void invalidListCursorIs400(String query) {
        assertProblem(jobs.get(query), 400, "bad-request");
    }

    @Test
    void valueOutOfRangeIsNamedInErrors() {
        String token = token(jobs.create(List.of("not a target"), new JsonObject()));

        for (Map.Entry<String, Integer> limit :
                Map.of("", 100, "/" + token, 500).entrySet()) {
            HttpResponse<String> refused = jobs.get(limit.getKey() + "?limit=100000");

            assertProblem(refused, 400, "bad-request");
            JsonObject error =
                    new JsonObject(refused.body()).getJsonArray("errors").getJsonObject(0);
            assertThat(error.getString("parameter")).isEqualTo("limit");
            assertThat(error.getString("detail"))
                    .isEqualTo("Parameter limit is 100000. It must be an integer from 1 to " + limit.getValue() + ".");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.0", "1e0", "+1", "01", "%201", "%2B1", "1%20", "", "ten", "999999999999999999999999"})
    void limitMustBeDecimalDigits(String limit) {
        String token = token(jobs.create(List.of("not a target", "neither"), new JsonObject()));

        for (String path : List.of("?limit=", "/" + token + "?limit=")) {
            JsonObject page = new JsonObject(jobs.get(path + "1").body());
            assertThat(page.getJsonArray(path.startsWith("/") ? "results" : "jobs"))
                    .hasSize(1);

            HttpResponse<String> refused = jobs.get(path + limit);
            assertProblem(refused, 400, "bad-request");
            assertThat(new JsonObject(refused.body()).getString("detail"))
                    .startsWith("Parameter limit must be an integer in decimal digits");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"?cursor=x", "?cursor=ajE", "?cursor=bDE", "?limit=0", "?limit=501", "?results=maybe"})
    void invalidLineCursorIs400(String query) {
        String token = token(jobs.create(List.of("not a target"), new JsonObject()));

        assertProblem(jobs.get("/" + token + query), 400, "bad-request");
    }

    @Test
    void aCursorOfTheLinesOfAnotherJobIsRejected() {
        String token = token(jobs.create(List.of("not a target", "neither"), new JsonObject()));
        String other = token(jobs.create(List.of("not a target", "neither"), new JsonObject()));
        String cursor = cursor(jobs.get("/" + other + "?limit=1"));

        HttpResponse<String> refused = jobs.get("/" + token + "?cursor=" + cursor);

        assertProblem(refused, 422, "invalid-parameter");
        assertThat(new JsonObject(refused.body()).getString("detail"))
                .isEqualTo("Parameter cursor: is a cursor of another job. Use the value of next_cursor in a response"
                        + " with the same job.");
        assertThat(jobs.get("/" + other + "?cursor=" + cursor).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                 | application/json                            | application/json",
                "                 | text/csv                                    | text/csv; charset=utf-8; header=present",
                "                 | application/x-ndjson                        | application/x-ndjson",
                "                 | text/*;q=0.9, application/json;q=0.5        | text/csv; charset=utf-8; header=present",
                "                 | text/html, */*;q=0.1                        | application/json",
                "                 | application/json;q=0, */*                   | text/csv; charset=utf-8; header=present",
                "?format=csv      | application/json                            | text/csv; charset=utf-8; header=present",
                "?format=ndjson   | text/html                                   | application/x-ndjson",
                "/results.csv     | */*                                         | text/csv; charset=utf-8; header=present",
                "/results.ndjson  | */*                                         | application/x-ndjson",
                "/results.csv     | text/csv, text/plain, application/problem+json | text/plain; charset=utf-8",
                "/results.csv     | text/csv, text/plain;q=0.9                  | text/csv; charset=utf-8; header=present",
                "/results.ndjson  | text/plain                                  | text/plain; charset=utf-8",
                "/results.ndjson  | text/*, application/x-ndjson;q=0.5          | application/x-ndjson",
                "                 | text/plain                                  |",
                "/results.csv     | application/problem+json                    | text/csv; charset=utf-8; header=present",
                "                 | text/html                                   |",
                "?format=xml      | */*                                         |",
                "/results.csv     | application/json                            |",
            })
    void jobIsServedInSeveralFormats(String view, String accept, String type) {
        String token = token(jobs.create(List.of("not a target"), new JsonObject()));

        HttpResponse<String> response = jobs.get("/" + token + (view == null ? "" : view), "Accept", accept);

        if (type == null) {
            assertProblem(response, 406, "not-acceptable");
        } else {
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(header(response, "Content-Type")).isEqualTo(type);
            assertThat(response.headers().firstValue("Content-Disposition").isPresent())
                    .isEqualTo(!type.equals("application/json"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?results=false", "/results.csv", "/results.ndjson"})
    void headHasHeadersOfGet(String view) {
        String token = token(jobs.create(List.of("not a target"), new JsonObject()));
        jobs.finished(token);

        HttpResponse<String> head = service.send("HEAD", service.uri(JOBS + "/" + token + view), "X-Api-Key", key);

        HttpResponse<String> get = jobs.get("/" + token + view);
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        for (String name : List.of("ETag", "Content-Type", "Vary", "Cache-Control")) {
            assertThat(header(head, name)).isEqualTo(header(get, name));
        }
        head.headers().firstValueAsLong("Content-Length").ifPresent(length -> assertThat(length)
                .isEqualTo(get.body().length()));
    }
}
