package dev.plumbline.lab;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Name-based virtual hosts on one server on 127.0.0.1. */
public final class VirtualHosts {
    private final Map<String, Consumer<HttpServerRequest>> sites;
    private final HttpServer server;

    private VirtualHosts(Map<String, Consumer<HttpServerRequest>> sites, HttpServer server) {
        this.sites = sites;
        this.server = server;
    }

    /**
     * Starts the server and adds the names to the DNS lab.
     *
     * @param sites handlers by the first label of the hostname
     */
    public static Future<VirtualHosts> start(Vertx vertx, DnsLab dns, Map<String, Consumer<HttpServerRequest>> sites) {
        Map<String, Consumer<HttpServerRequest>> all = new LinkedHashMap<>(sites);
        all.keySet().forEach(label -> dns.address(label + ".sites.test", "127.0.0.1"));
        return vertx.createHttpServer()
                .requestHandler(request -> {
                    String host = String.valueOf(request.getHeader("host"));
                    Consumer<HttpServerRequest> site = all.get(host.split("\\.", 2)[0]);
                    if (site == null) {
                        request.response().setStatusCode(421).end();
                    } else {
                        site.accept(request);
                    }
                })
                .listen(0, "127.0.0.1")
                .map(server -> new VirtualHosts(all, server));
    }

    /** Responds to every request with this status and text. */
    public static Consumer<HttpServerRequest> responding(int status, String type, String body) {
        return request -> request.response()
                .setStatusCode(status)
                .putHeader("content-type", type)
                .end(body);
    }

    /** Responds to every request with these bytes. */
    public static Consumer<HttpServerRequest> responding(String type, byte[] body) {
        return request ->
                request.response().putHeader("content-type", type).end(io.vertx.core.buffer.Buffer.buffer(body));
    }

    public String url(String label, String path) {
        return "http://" + label + ".sites.test:" + server.actualPort() + path;
    }

    public List<String> labels() {
        return List.copyOf(sites.keySet());
    }
}
