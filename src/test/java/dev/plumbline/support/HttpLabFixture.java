package dev.plumbline.support;

import dev.plumbline.lab.HttpLab;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The HTTP lab for a test class: {@code @RegisterExtension static final HttpLabFixture LAB = new HttpLabFixture();} */
public final class HttpLabFixture implements BeforeAllCallback, AfterAllCallback {
    private Vertx vertx;
    private HttpLab lab;

    @Override
    public void beforeAll(ExtensionContext context) {
        vertx = Vertx.vertx();
        lab = Await.value(HttpLab.start(vertx));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        Await.value(vertx.close());
    }

    public Vertx vertx() {
        return vertx;
    }

    public HttpLab lab() {
        return lab;
    }
}
