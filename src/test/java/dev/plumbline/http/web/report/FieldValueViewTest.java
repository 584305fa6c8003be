package dev.plumbline.http.web.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.CheckModule;
import dev.plumbline.check.SheetModule;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.module.web.HttpHeaders;
import dev.plumbline.module.web.PageLinks;
import dev.plumbline.module.web.RedirectChain;
import dev.plumbline.sheet.FieldDescription;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

class FieldValueViewTest {
    private static final JsonArray ROWS = new JsonArray()
            .add(new JsonObject().put("url", "https://example.com/").put("status", 200));

    @Test
    void onlyRedirectsAreAPath() {
        assertThat(FieldValueView.of(field(new RedirectChain(), "hops"), ROWS))
                .isInstanceOf(DisplayValue.RedirectPath.class);
        assertThat(FieldValueView.of(field(new PageLinks(), "links"), ROWS)).isInstanceOf(DisplayValue.Table.class);
    }

    @Test
    void headerNamesAreUnchanged() {
        assertThat(headers(new JsonObject()
                        .put("server", new JsonArray().add("nginx"))
                        .put("content-type", new JsonArray().add("text/html"))))
                .extracting(member -> member.name().line())
                .containsExactly("server", "content-type");
        assertThat(headers(new JsonObject().put("max_age_seconds", 60)))
                .extracting(member -> member.name().line())
                .containsExactly("Max age");
    }

    @Test
    void longTextsAreSeparateLines() {
        assertThat(lines("id=1; Path=/; Secure; HttpOnly; SameSite=Lax", "theme=dark"))
                .isTrue();
        assertThat(lines("Accept-Encoding", "Origin")).isFalse();
        assertThat(lines("a-long-hostname-without-spaces.example.example.com")).isFalse();
    }

    private static boolean lines(String... values) {
        JsonArray items = new JsonArray();
        for (String value : values) {
            items.add(value);
        }
        DisplayValue value =
                headers(new JsonObject().put("x-items", items)).get(0).value();
        return ((DisplayValue.Items) value).lines();
    }

    private static List<DisplayValue.Member> headers(JsonObject headers) {
        DisplayValue value = FieldValueView.of(field(new HttpHeaders(), "headers"), headers);
        return ((DisplayValue.ObjectMembers) value).members();
    }

    private static FieldDescription field(CheckModule<?, ?, ?> module, String name) {
        return SheetModule.load(module).description().fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
