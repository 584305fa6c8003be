package dev.plumbline.http.web.docs;

import dev.plumbline.http.web.docs.ApiReference.Example;
import dev.plumbline.http.web.layout.Links;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Code examples for an operation: curl, Java (java.net.http), Python (requests) and JavaScript (fetch). Credentials are
 * read from environment variables.
 */
final class CodeExamples {
    private static final String KEY = "PLUMBLINE_KEY";
    private static final String SESSION = "PLUMBLINE_SESSION";

    private final String server;
    private final String origin;
    private final String cookie;

    CodeExamples(String server) {
        this.server = server;
        URI uri = URI.create(server);
        this.origin = uri.getScheme() + "://" + uri.getRawAuthority();
        this.cookie = (server.startsWith("https:") ? "__Host-" : "") + "plumbline=";
    }

    /**
     * A request header.
     *
     * @param secret the environment variable that is appended to the value, or null
     */
    private record Header(String name, String value, @Nullable String secret) {

        /**
         * The value as a string literal.
         *
         * @param variable the code that appends an environment variable, with its name as %s
         */
        String literal(String variable) {
            return '"' + value + '"' + (secret == null ? "" : variable.formatted(secret));
        }
    }

    private record Request(String method, String url, List<Header> headers, @Nullable JsonObject body) {

        boolean isGet() {
            return method.equals("GET");
        }

        /** The body with each line but the first indented. */
        String body(String indent) {
            return body == null ? "" : body.encodePrettily().replace("\n", "\n" + indent);
        }
    }

    /** @param access {@code bearerKey}, {@code session} or empty */
    List<Example> of(
            String method, String path, List<JsonObject> parameters, String access, @Nullable JsonObject body) {
        String filled = path;
        Map<String, String> query = new LinkedHashMap<>();
        for (JsonObject parameter : parameters) {
            Object example = parameter.getValue("example");
            String name = parameter.getString("name");
            if (parameter.getString("in").equals("path")) {
                filled = filled.replace("{" + name + "}", Links.encoded(example.toString()));
            } else if (parameter.getString("in").equals("query") && example instanceof JsonObject map) {
                map.forEach(entry -> query.put(entry.getKey(), entry.getValue().toString()));
            }
        }
        List<Header> headers = new ArrayList<>();
        if (access.equals("bearerKey")) {
            headers.add(new Header("Authorization", "Bearer ", KEY));
        } else if (access.equals("session")) {
            headers.add(new Header("Cookie", cookie, SESSION));
            if (!method.equals("GET")) {
                headers.add(new Header("Origin", origin, null));
            }
        }
        if (body != null) {
            headers.add(new Header("Content-Type", "application/json", null));
        }
        Request request = new Request(method, server + filled + Links.query(query), headers, body);
        return List.of(
                new Example("curl", curl(request)),
                new Example("Java", java(request)),
                new Example("Python", python(request)),
                new Example("JavaScript", javaScript(request)));
    }

    private static String curl(Request request) {
        StringBuilder out = new StringBuilder("curl");
        if (!request.isGet()) {
            out.append(" -X ").append(request.method);
        }
        out.append(" '").append(request.url).append('\'');
        for (Header header : request.headers) {
            String line = header.name + ": " + header.value;
            out.append(" \\\n  -H ")
                    .append(header.secret == null ? "'" + line + "'" : "\"" + line + "$" + header.secret + "\"");
        }
        if (request.body != null) {
            out.append(" \\\n  -d '")
                    .append(request.body("").replace("'", "'\\''"))
                    .append('\'');
        }
        return out.toString();
    }

    private static String java(Request request) {
        StringBuilder out = new StringBuilder("HttpRequest request = HttpRequest.newBuilder()\n");
        out.append("    .uri(URI.create(\"%s\"))\n".formatted(request.url));
        for (Header header : request.headers) {
            String value = header.literal(" + System.getenv(\"%s\")");
            out.append("    .header(\"%s\", %s)\n".formatted(header.name, value));
        }
        if (request.body != null || !request.isGet()) {
            String publisher = request.body == null
                    ? "noBody()"
                    : "ofString(\"\"\"\n        %s\"\"\")"
                            .formatted(request.body("        ").replace("\\", "\\\\"));
            out.append("    .method(\"%s\", HttpRequest.BodyPublishers.%s)\n".formatted(request.method, publisher));
        }
        return out.append(
                        """
                            .build();
                        HttpResponse<String> response = HttpClient.newHttpClient()
                            .send(request, HttpResponse.BodyHandlers.ofString());
                        System.out.println(response.statusCode() + " " + response.body());""")
                .toString();
    }

    private static String python(Request request) {
        boolean secrets = request.headers.stream().anyMatch(header -> header.secret != null);
        StringBuilder out = new StringBuilder(secrets ? "import os\n" : "");
        out.append("import requests\n\nresponse = requests.%s(\n    \"%s\",\n"
                .formatted(request.method.toLowerCase(Locale.ROOT), request.url));
        String headers = request.headers.stream()
                .filter(header -> !header.name.equals("Content-Type"))
                .map(header -> '"' + header.name + "\": " + header.literal(" + os.environ[\"%s\"]"))
                .collect(Collectors.joining(", "));
        if (!headers.isEmpty()) {
            out.append("    headers={").append(headers).append("},\n");
        }
        if (request.body != null) {
            out.append("    json=").append(pythonLiteral(request.body, "    ")).append(",\n");
        }
        return out.append(")\nprint(response.status_code, response.text)").toString();
    }

    private static String pythonLiteral(@Nullable Object value, String indent) {
        if (value instanceof JsonObject object) {
            return object.stream()
                    .map(entry -> indent + "    \"" + entry.getKey() + "\": "
                            + pythonLiteral(entry.getValue(), indent + "    "))
                    .collect(Collectors.joining(",\n", "{\n", "\n" + indent + "}"));
        }
        if (value instanceof JsonArray array) {
            return array.stream().map(item -> pythonLiteral(item, indent)).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Boolean yes) {
            return yes ? "True" : "False";
        }
        return value == null ? "None" : Json.encode(value);
    }

    private static String javaScript(Request request) {
        StringBuilder out = new StringBuilder("const response = await fetch(\"" + request.url + '"');
        if (!request.isGet() || !request.headers.isEmpty()) {
            out.append(", {\n");
            if (!request.isGet()) {
                out.append("  method: \"" + request.method + "\",\n");
            }
            if (!request.headers.isEmpty()) {
                out.append("  headers: {\n");
                for (Header header : request.headers) {
                    String value = header.literal(" + process.env.%s");
                    out.append("    \"%s\": %s,\n".formatted(header.name, value));
                }
                out.append("  },\n");
            }
            if (request.body != null) {
                out.append("  body: JSON.stringify(").append(request.body("  ")).append("),\n");
            }
            out.append('}');
        }
        return out.append(");\nconsole.log(response.status, await response.text());")
                .toString();
    }
}
