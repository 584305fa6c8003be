package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.support.SecretScanner;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sends secrets to the jar in valid and invalid requests, with the most verbose log level and during a database crash.
 * No log line, response or metric contains any of them.
 */
@Tag("integration")
class SecretLeakIT {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String EMAIL = "owner@plumbline.example";

    private static final String JSON = "application/json";
    private static final String FORM = "application/x-www-form-urlencoded";

    @TempDir
    Path folder;

    private final SecretScanner leaks = new SecretScanner();
    private final List<String> responses = new ArrayList<>();
    private String address = "";

    private String secret(String secret) {
        leaks.secret(secret);
        return secret;
    }

    @Test
    void noSecretLeaks() throws Exception {
        String key = secret(ApiKeySecret.generate());
        String password = secret("Pa55 of the first start");
        String sessionSecret = secret("s3ssions of the whole run are signed with it");
        try (ServiceProcess service = ServiceProcess.start(
                folder,
                Map.of(
                        "BOOTSTRAP_EMAIL",
                        EMAIL,
                        "BOOTSTRAP_PASSWORD",
                        password,
                        "BOOTSTRAP_API_KEY",
                        key,
                        "SESSION_SECRET",
                        sessionSecret,
                        "ACCOUNTS_SIGNUP",
                        "open",
                        "LOG_LEVEL",
                        "debug",
                        "LOG_FORMAT",
                        "json",
                        "LOG_ACCESS",
                        "true"))) {
            address = service.address();
            sendKeys(key);
            String cookie = sendPasswords(password);
            createAndSendKeys(cookie);
            submitForms(password);
            killDatabase();
            sendKeys(key);
            sendPasswords(password);
            submitAnonymousForms(password);
            recordMetricsAndHealth(service);
            service.terminate();
            service.awaitExit(40);

            assertThat(responses).hasSizeGreaterThan(70);
            responses.forEach(response -> leaks.assertNoneIn("a response", response));
            assertThat(service.log()).contains("started", "stopped", "embedded database terminated");
            service.log().lines().forEach(line -> leaks.assertNoneIn("the log", line));
            assertThat(service.printed()).isEmpty();
        }
    }

    private void sendKeys(String key) {
        String unknown = secret(ApiKeySecret.generate());
        String wrong = secret(unknown.substring(0, 41) + (unknown.charAt(41) == '0' ? '1' : '0'));
        String job = new JsonObject()
                .put("module", "http-status")
                .put("items", new JsonArray().add("not a target"))
                .put("options", new JsonObject())
                .encode();
        for (String each : List.of(key, unknown, wrong, key + "x", "Basic " + key)) {
            send("POST", "/api/v1/jobs", job, "Authorization", "Bearer " + each);
            send("POST", "/api/v1/jobs", job, "X-Api-Key", each);
            send("POST", "/api/v1/jobs", job, "Authorization", each);
            send("GET", "/api/v1/jobs", "", "X-Api-Key", each);
        }
        send("GET", "/api/v1/jobs", "", "X-Api-Key", key, "Authorization", "Bearer " + unknown);
        send(
                "GET",
                "/api/v1/jobs",
                "",
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8)));
        send("POST", "/api/v1/jobs", "{\"module\": oops}", "X-Api-Key", key);
        send("POST", "/api/v1/jobs", job, "X-Api-Key", key, "Idempotency-Key", secret(ApiKeySecret.generate()));
        send("GET", "/api/v1/jobs/job_4kJ0mZ3tQbW9xYcR1nLp7s", "", "X-Api-Key", key);
        send("GET", "/api/v1/nowhere", "", "X-Api-Key", key);
        send("DELETE", "/api/v1/tools", "", "Authorization", "Bearer " + key);
        send("GET", "/api/v1/jobs?api_key=" + key, "", "X-Api-Key", key);
        send("GET", "/api/v1/jobs/" + key, "", "X-Api-Key", key);
        send("GET", "/" + key, "", "Accept", "*/*");
    }

    /** Signs in with invalid and then valid passwords. Returns the session cookie; empty if there is none. */
    private String sendPasswords(String password) {
        String wrong = secret("wr0ng passw0rd " + responses.size());
        String email = "user" + responses.size() + "@plumbline.example";
        String signUpPassword = secret("sign-up passw0rd " + responses.size());
        post("/api/v1/session", signIn(EMAIL, wrong));
        post("/api/v1/session", signIn("nobody@plumbline.example", wrong));
        post("/api/v1/session", "{\"email\": \"" + EMAIL + "\", \"password\": \"" + wrong);
        post("/api/v1/session", "{\"email\": \"" + EMAIL + "\", \"password\": [\"" + wrong + "\"]}");
        post("/api/v1/session", "{\"email\": \"" + EMAIL + "\", \"pasword\": \"" + wrong + "\"}");
        post("/api/v1/session", "{\"email\": \"" + wrong + "\", \"password\": \"" + wrong + "\"}");
        post("/api/v1/account", signIn(email, signUpPassword));
        post("/api/v1/account", signIn(email, signUpPassword));
        post("/api/v1/account", signIn("no address", secret("passw0rd without address")));
        HttpResponse<String> signInResponse = post("/api/v1/session", signIn(EMAIL, password));
        return signInResponse
                .headers()
                .firstValue("Set-Cookie")
                .map(set -> set.substring(0, set.indexOf(';')))
                .orElse("");
    }

    private static String signIn(String email, String password) {
        return new JsonObject().put("email", email).put("password", password).encode();
    }

    private void createAndSendKeys(String cookie) {
        assertThat(cookie).contains("=");
        String token = secret(cookie.substring(cookie.indexOf('=') + 1));
        for (String each : List.of(cookie, cookie + "x", cookie.replace(token, token + token))) {
            send("GET", "/api/v1/session", "", "Cookie", each);
            send("GET", "/api/v1/sessions", "", "Cookie", each);
            send("GET", "/api/v1/keys", "", "Cookie", each);
            send("POST", "/api/v1/keys", "{\"name\": 7}", "Cookie", each, "Origin", address);
            send("POST", "/api/v1/keys", "{\"name\": \"a\"}", "Cookie", each, "Origin", "http://evil.test");
        }
        HttpResponse<String> created = exchange(
                "POST",
                "/api/v1/keys",
                "{\"name\": \"new\", \"scopes\": [\"jobs:read\"]}",
                JSON,
                "Cookie",
                cookie,
                "Origin",
                address);
        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        String key = secret(new JsonObject(created.body()).getString("key"));
        send("GET", "/api/v1/jobs", "", "X-Api-Key", key);
        send("POST", "/api/v1/jobs", "{}", "X-Api-Key", key);
        send("GET", "/api/v1/keys", "", "Cookie", cookie);
        send(
                "PUT",
                "/api/v1/account/password",
                new JsonObject()
                        .put("current_password", secret("n0t the passw0rd"))
                        .put("new_password", secret("never t0 be set at all"))
                        .encode(),
                "Cookie",
                cookie,
                "Origin",
                address);
    }

    /** Submits valid and invalid forms. Returns the session cookie. */
    private String submitAnonymousForms(String password) {
        String wrong = secret("typed wr0ng " + responses.size());
        String email = "form-user" + responses.size() + "@plumbline.example";
        String own = secret("sign-up form passw0rd " + responses.size());
        form("/sign-in", "", "email", EMAIL, "password", wrong);
        // the form shows the submitted address again
        exchange("POST", "/sign-in", "email=" + encoded(wrong), FORM, "Origin", address);
        form("/sign-in", "", "email", "nobody@plumbline.example", "passwort", wrong);
        form("/sign-in?next=/tools", "", "next", "/account", "password", password);
        raw("/sign-in", "password=" + encoded(wrong) + "&email=%zz");
        raw("/sign-in", "password=" + encoded(wrong) + "&password=" + encoded(own));
        raw("/sign-in", "email=" + "x".repeat(20_000) + "&password=" + encoded(wrong));
        send("GET", "/sign-in", "", "Accept", "text/html");
        form("/sign-up", "", "email", "no address", "password", own);
        form("/sign-up", "", "email", email, "password", "short");
        form("/sign-up", "", "email", email, "password", own);
        form("/sign-up", "", "email", email, "password", own);
        HttpResponse<String> signInResponse = form("/sign-in", "", "email", EMAIL, "password", password);
        return signInResponse
                .headers()
                .firstValue("Set-Cookie")
                .map(set -> set.substring(0, set.indexOf(';')))
                .orElse("");
    }

    private void submitForms(String password) {
        String cookie = submitAnonymousForms(password);
        assertThat(cookie).contains("=");
        String token = secret(cookie.substring(cookie.indexOf('=') + 1));
        for (String each : List.of(cookie, cookie + "x", cookie.replace(token, token + token))) {
            send("GET", "/account", "", "Cookie", each);
            form("/account/keys", each, "name", "", "scopes", "jobs:read");
            form("/account/keys", each, "name", "a\u202eb", "days", "x");
            form("/account/sessions/0/end", each);
            form("/account/keys/0/revoke", each);
        }
        HttpResponse<String> created = exchange(
                "POST",
                "/account/keys",
                "name=typed&scopes=jobs%3Aread&days=7",
                FORM,
                "Cookie",
                cookie,
                "Origin",
                address);
        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        assertThat(created.headers().firstValue("Cache-Control")).contains("private, no-store");
        Matcher key = Pattern.compile("plk_[0-9A-Za-z]{38}").matcher(created.body());
        assertThat(key.find()).isTrue();
        send("GET", "/api/v1/jobs", "", "X-Api-Key", secret(key.group()));
        send("GET", "/account", "", "Cookie", cookie);
        String next = secret("never t0 be set by a form");
        for (String current : List.of(secret("n0t the typed one"), next, "")) {
            form("/account/password", cookie, "current_password", current, "new_password", next);
        }
        form("/account/password", cookie, "current_password", password, "new_password", "short");
        form("/account/password", cookie, "current_password", password);
        raw("/account/password", "current_password=" + encoded(password) + "&new_password=%f");
        form("/account/sign-out-everywhere", cookie);
        send("GET", "/account", "", "Cookie", cookie);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /**
     * Submits a form as a page of the service does.
     *
     * @param fields alternating names and values
     */
    private HttpResponse<String> form(String path, String cookie, String... fields) {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < fields.length; i++) {
            body.append(encoded(fields[i])).append(i % 2 == 0 ? '=' : '&');
        }
        HttpResponse<String> response = cookie.isEmpty()
                ? exchange("POST", path, body.toString(), FORM, "Origin", address)
                : exchange("POST", path, body.toString(), FORM, "Origin", address, "Cookie", cookie);
        return recorded(response);
    }

    private void raw(String path, String body) {
        recorded(exchange("POST", path, body, FORM, "Origin", address));
    }

    private void recordMetricsAndHealth(ServiceProcess service) {
        HttpResponse<String> metrics = service.metrics();
        assertThat(metrics.body()).contains("plumbline_http_requests");
        responses.add(metrics.body());
        responses.add(service.ready().body());
    }

    private void killDatabase() throws IOException {
        Path pidFile = folder.resolve("data/postgres/cluster/postmaster.pid");
        ProcessHandle.of(Long.parseLong(Files.readAllLines(pidFile).get(0)))
                .orElseThrow()
                .destroyForcibly();
    }

    private HttpResponse<String> post(String path, String body) {
        return send("POST", path, body, "Origin", address);
    }

    /** Sends a request and records the response, except headers that contain a secret by design. */
    private HttpResponse<String> send(String method, String path, String body, String... headers) {
        return recorded(exchange(method, path, body, JSON, headers));
    }

    private HttpResponse<String> recorded(HttpResponse<String> response) {
        StringBuilder text = new StringBuilder(response.body());
        response.headers().map().forEach((name, values) -> {
            if (!name.equalsIgnoreCase("Set-Cookie")) {
                text.append('\n').append(name).append(": ").append(values);
            }
        });
        responses.add(text.toString());
        return response;
    }

    private HttpResponse<String> exchange(String method, String path, String body, String type, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path))
                .timeout(Duration.ofSeconds(40))
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", type);
        }
        try {
            return CLIENT.send(request.headers(headers).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new AssertionError(method + " " + path + " has no response", failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }
}
