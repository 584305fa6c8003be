package dev.plumbline.sheet;

import static dev.plumbline.support.Descriptions.array;
import static dev.plumbline.support.Descriptions.integer;
import static dev.plumbline.support.Descriptions.isVolatile;
import static dev.plumbline.support.Descriptions.number;
import static dev.plumbline.support.Descriptions.object;
import static dev.plumbline.support.Descriptions.string;
import static dev.plumbline.support.Descriptions.table;
import static dev.plumbline.support.Descriptions.unordered;
import static dev.plumbline.support.Descriptions.volatileMembers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FieldChangesTest {
    private static final List<FieldDescription> FIELDS = List.of(
            integer("status", "Status", "Status."),
            isVolatile(number("time_ms", "Time", "Time.")),
            number("share", "Share", "Share."),
            array("hops", "Hops", "Hops.", FieldType.STRING),
            unordered(array("names", "Names", "Names.", FieldType.STRING)),
            unordered(table(
                    "servers",
                    "Servers",
                    "Servers.",
                    string("name", "Name", "Name."),
                    isVolatile(integer("delay_ms", "Delay", "Delay.")),
                    unordered(array("ips", "Addresses", "Addresses.", FieldType.STRING)))),
            object(
                    "policy",
                    "Policy",
                    "Policy.",
                    isVolatile(string("text", "Text", "Text.")),
                    integer("max_age", "Age", "Age.")),
            volatileMembers(object("headers", "Headers", "Headers."), "date", "ttl"));

    static Stream<Arguments> equal() {
        return Stream.of(
                arguments("{status: 200}", "{status: 200}"),
                arguments("{time_ms: 1.5}", "{time_ms: 12}"),
                arguments("{time_ms: 1.5}", "{}"),
                arguments("{status: null}", "{}"),
                arguments("{share: 3.0}", "{share: 3}"),
                arguments("{status: 20000000000}", "{status: 2.0E10}"),
                arguments("{names: [a, b, b]}", "{names: [b, a, b]}"),
                arguments("{undeclared: 1}", "{undeclared: 2}"),
                arguments(
                        "{servers: [{name: a, delay_ms: 1, ips: [x, y]}, {name: b, delay_ms: 2, ips: []}]}",
                        "{servers: [{name: b, delay_ms: 3, ips: []}, {name: a, ips: [y, x]}]}"),
                arguments("{policy: {text: a, max_age: 1}}", "{policy: {text: b, max_age: 1}}"),
                arguments(
                        "{headers: {date: [a], server: [s], a: [{ttl: 1, data: x}]}}",
                        "{headers: {a: [{ttl: 2, data: x}], server: [s], date: [b]}}"));
    }

    @ParameterizedTest
    @MethodSource("equal")
    void ignoresVolatileValuesAndTheOrderOfItemsWithoutOrder(String before, String after) {
        assertThat(changed(before, after)).isEmpty();
        assertThat(changed(after, before)).isEmpty();
    }

    static Stream<Arguments> different() {
        return Stream.of(
                arguments("{status: 200}", "{status: 404}", "status"),
                arguments("{status: 200}", "{status: null}", "status"),
                arguments("{status: 200}", "{status: '200'}", "status"),
                arguments("{share: 1E999}", "{share: 1}", "share"),
                arguments("{hops: [a, b]}", "{hops: [b, a]}", "hops"),
                arguments("{names: [a, b, b]}", "{names: [a, a, b]}", "names"),
                arguments("{names: [a]}", "{names: []}", "names"),
                arguments("{names: []}", "{names: null}", "names"),
                arguments("{servers: [{name: a, ips: [x]}]}", "{servers: [{name: a, ips: [y]}]}", "servers"),
                arguments("{policy: {text: a, max_age: 1}}", "{policy: {text: a, max_age: 2}}", "policy"),
                arguments("{policy: {text: a}}", "{policy: null}", "policy"),
                arguments("{headers: {a: [x, y]}}", "{headers: {a: [y, x]}}", "headers"),
                arguments("{headers: {a: [{ttl: 1, data: x}]}}", "{headers: {a: [{ttl: 1, data: y}]}}", "headers"));
    }

    @ParameterizedTest
    @MethodSource("different")
    void findsOtherChanges(String before, String after, String field) {
        assertThat(changed(before, after)).containsExactly(field);
        assertThat(changed(after, before)).containsExactly(field);
    }

    @Test
    void returnsAllChangedFieldsInDeclaredOrder() {
        assertThat(changed("{hops: [a], time_ms: 1, status: 1}", "{hops: [b], time_ms: 2, status: 2}"))
                .containsExactly("status", "hops");
    }

    @ParameterizedTest
    @MethodSource("withVolatile")
    void volatileValuesAreComparedOnRequest(String before, String after, List<String> fields) {
        assertThat(FieldChanges.withVolatileBetween(FIELDS, json(before), json(after)))
                .extracting(FieldDescription::name)
                .isEqualTo(fields);
    }

    static Stream<Arguments> withVolatile() {
        return Stream.of(
                arguments("{time_ms: 1.5}", "{time_ms: 12}", List.of("time_ms")),
                arguments("{time_ms: 1.0}", "{time_ms: 1}", List.of()),
                arguments(
                        "{servers: [{name: a, delay_ms: 1}]}",
                        "{servers: [{name: a, delay_ms: 2}]}",
                        List.of("servers")),
                arguments("{policy: {text: a}}", "{policy: {text: b}}", List.of("policy")),
                arguments("{headers: {a: [{ttl: 1}]}}", "{headers: {a: [{ttl: 2}]}}", List.of("headers")),
                arguments("{names: [a, b]}", "{names: [b, a]}", List.of()),
                arguments("{undeclared: 1}", "{undeclared: 2}", List.of()));
    }

    private static List<String> changed(String before, String after) {
        return FieldChanges.between(FIELDS, json(before), json(after)).stream()
                .map(FieldDescription::name)
                .toList();
    }

    /** Parses JSON with names and texts that do not need quotation marks. */
    private static Map<String, Object> json(String text) {
        String quoted = text.replaceAll("'(\\w+)'|(?<![\\w.'])(?!null\\b)([a-z]\\w*)", "\"$1$2\"");
        return new JsonObject(quoted).getMap();
    }
}
